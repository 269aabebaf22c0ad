"""Short words that lines of ordinary prose end and begin with.

Two of them around a line break are no word cut in two, whatever they spell together ("the pen" and
"is there"). Single letters count too: what an apostrophe leaves ("isn't"), lists, variables.
"""

from __future__ import annotations

_WORDS = """
a i o ab ad ah al am an as at ax be by co da de di do dr ed eg eh el em en er es et ex fa go ha he
hi ho id ie if in is it jr la le lo ma me mi mr ms mu my no nu of oh ok on op or os ow ox oz pa
pm pr ps qa qi ra re so ss st ta th to tv uk um un up us ut uv va vs we wk wo ye yo
able ace act add age ago aid aim air ale all also an and ann any ape arc are arm art ash ask ate
away back bad bag ban bar bass bat bay bed bee been beg ben bet bid big bin bird bit blow boat
body bone book boot both bow box boy bug bull bum bun bus but buy cab call calm camp can cap car
card care cars case cast cat cell chat chin city clay clip club coal coat code cold come cook cool
cop corn cost cot cow crew crop cry cup cut dad dam dark data date dawn day days dead deal dear
deep den desk did die diet dig dim dip dirt dish does dog dog done door dot down draw drew dry due
dug duke each ear ease east easy eat edge egg ego eld elf end era eve even ever eye face fact fad
fail fair fall fan far farm fast fat fate fax fed fee feel feet fell felt few field file fill
film fin find fine fire fish fit five fix flat flu fly fog food foot for form four fox free from
fry fuel full fun fur gag gain game gap gas gate gave gem get gets gift girl give goal god gods
goes gold gone good got grab grew grid grow gum gun gut guy had hair hall ham hand hands hang hard
harm has hat have head heat held hell help hen her here hero hers hid high hill him hint hip his
hit hits hive hog hold hole home hop hope horse host hot hour how hub hug huge hunt hut ice idea
idle ill inch ink inn into ion iron its ivy jack jam jar jaw jet job jobs join joke joy judge jug
jump just keep ken kept key kick kid kids kill kin kind king knew know lab lack lad lag laid lake
lamp land lap last late law lawn lay lead leaf leak led left leg lend less let lid lie life lift
like line link lion lip list live load loan lock log lone long look lord lose loss lost lot loud
love low luck lung mad made mail main make male man many map mark mass mast mat may meal mean meat
meet men met mid mile milk mill mind mine miss mix mob mode mom moon more most mother move much
mud mug must myth nail name nap near neat neck need neo nest net new news next nice nick nine nod
node none nor nose not note noun now nun nut oak oar oath odd off oil old once one only open ore
our out oven over owe owl own pace pack pad page paid pain pair pan par park part pass past pat
path paw pay pea peak peer pen pet phone pick pie pig pile pill pin pink pip pipe pit plan play
plot plus pod poem poet pole poll pond pool poor pop pope port post pot pour pro pub pull pump pun
pure pus push put quit race rack rag rail rain ran rang rank rap rat rate raw ray read real red
rest rib rice rich rid ride rig rim ring rip rise risk road rob rock rod role roll roof room
root rope rose rot row rub rug rule run rush rye sad safe sage said sail salt same sand sap sat
save saw say says sea seal seat see seed seem seen self sell send sent set seven sew sex shall she
ship shoe shop shot should show shut shy sick side sign silk sin sing sink sip sir sit site six
size skill skin sky slip slot slow small snow soap sod soft soil sold sole some son song soon sort
soul soup sour south spa space spin spot spy staff stage stand star start stay stem step still
stop sub such suit sum sun sure swim tab tag tail take tale talk tall tan tank tap tar tax tea team
tear tell ten tend tent term test text than that the their them then there these they thick thin
thing think this those three throat thus tick tide tie till time tin tint tiny tip tire title toe
told tom ton tone too took tool top toss tot touch tour tow town toy track trade train trap tray
tree trip true try tub tube tug tune turn twin two type under unit until upon urn use used van
vast vat very vet via vice view visit vote vow wage wait wake walk wall want war warm was wash
wave wax way ways weak wear web wed week well went were west wet what when where which while whip
white who whole whom why wide wife wild will win wind wine wing wire wise wish wit with woe woke
won wood word wore work worm worn would wrap yard yarn year yes yet you young your zip zone zoo
"""

ORDINARY = frozenset(_WORDS.split()) | frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
