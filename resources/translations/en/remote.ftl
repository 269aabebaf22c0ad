remote-add = Add a remote model
remote-edit = Edit the connection
remote-about = Any server that speaks OpenAI’s interface. What you write goes there; everything else stays here.
remote-preset = Server
remote-other = Another server
remote-address = Address
remote-address-hint = http://localhost:11434/v1
remote-key = Key
remote-key-hint = Only if the server wants one
remote-key-kept = Kept in the keyring; type to replace it
remote-forget-key = Forget
remote-model = Model
remote-model-hint = As the server calls it
remote-models = Models of the server
remote-name = Name
remote-name-hint = As you like to call it
remote-certificate = Certificate
remote-certificate-hint = File of its own certificate authority, if it has one
remote-browse = Choose…
remote-proxy = Proxy
remote-proxy-hint = http://name:password@proxy:3128, or empty for the system’s
remote-ask = List models
remote-test = Test
remote-asking = Asking { $address }…
remote-testing = Waiting for the first word from { $address }…
remote-found = { $count ->
    [0] It answered after { $ms } ms, and names no model.
    [one] It answered after { $ms } ms, and has one model.
   *[other] It answered after { $ms } ms, and has { $count } models.
}
remote-tested = It works: the first word came after { $time }, measured here.
remote-no-address = This is no address of a server yet.
remote-badge-here = Another program here
remote-badge-away = Leaves this computer
remote-mark-here = Goes to { $host }, on this computer
remote-mark-away = Leaves this computer: { $host }
remote-held = The key is kept until the program ends.
    .more = This system has no keyring to keep it in, and it is never written to a file.
inspector-remote = A server wrote this. Its tokens, their odds, the exact prompt and its memory cannot be seen from here; only the times are measured.
transcript-measured-here = measured here
remote-here = On this computer, another program: { $host }
remote-away = Text leaves this computer: { $host }
stage-connecting = Waiting for the server
fault-address-invalid = “{ $address }” is no address of a server.
    .more = It looks like http://localhost:11434/v1, without a name or password in it.
fault-server-unreachable = { $host } does not answer.
    .more = The server may not be running, or the address or the network is another one.
fault-server-untrusted = { $host } shows a certificate that is not trusted.
    .more = Nothing was sent. If the server is yours, name the file of its certificate authority.
fault-certificate-unreadable = “{ $path }” holds no certificate that can be read.
    .more = Choose the file of the server’s certificate authority, in PEM.
fault-proxy-invalid = “{ $address }” is no address of a proxy.
    .more = It looks like http://proxy.example:3128. A name and password may stand before the host; the password goes to the keyring.
fault-proxy-refuses = The proxy does not lead to { $host }.
    .more = Check the proxy of this model or of the system.
fault-server-silent = { $host } is connected, but says nothing.
    .more = Nothing came for { $seconds ->
        [one] a second
       *[other] { $seconds } seconds
    }. It may be busy with something else.
fault-server-broke-off = { $host } broke off in the middle.
    .more = The connection ended before the reply did.
fault-server-foreign = { $host } does not answer like an OpenAI-compatible server.
    .more = Check the address; most end with /v1.
fault-server-garbled = The reply of { $host } is damaged.
    .more = In the middle of it came something that is no part of a reply. Another try may work.
fault-server-failed = { $host } reports an error of its own ({ $status }).
    .more = Another try may work; its own log says more.
fault-server-refused = { $host } refuses this request.
    .more = Other settings, or another of its models, may be taken.
fault-server-forbids = { $host } does not allow this.
    .more = The key may not be for this model.
fault-server-overloaded = { $host } asks to be left alone for now.
    .more = { $seconds ->
        [0] Its limit is reached. Try again in a while.
        [one] Try again in a second.
       *[other] Try again in { $seconds } seconds.
    }
fault-server-moved = { $host } sends to another address.
    .more = It was not followed, so that your text and key go nowhere unasked. If you trust it, enter { $address }.
fault-key-needed = { $host } wants a key.
    .more = Enter it at this model’s connection.
fault-key-refused = { $host } does not accept the key.
    .more = Check it at this model’s connection.
fault-model-gone = { $host } has no model “{ $model }”.
    .more = Choose another of its models.
fault-conversation-too-long = This chat is longer than { $host } can read.
    .more = { $context ->
        [0] Shorten it, or start a new chat.
       *[other] It reads { $context } tokens. Shorten the chat, or start a new one.
    }
fault-offline = { $host } is not on this computer.
    .more = Offline is switched on in the settings: only this computer is asked. Nothing was sent.
fault-only-locally = A server does not tell this.
    .more = { $host } keeps its tokens, their odds and the exact prompt to itself. A model on this computer shows them.
notice-settings-left-out = { $host } does not take all your settings.
    .more = Left out: { $names }.
notice-server-cut = { $host } did not read the whole chat.
    .more = It read { $tokens } tokens, and there are at least { $least }. What was left out, it does not say.
notice-server-filtered = The content filter of { $host } ended the reply.
    .more = What had arrived is kept.
