# How the program starts, and what the system asks of it.
model-drop = Let go to open { $name }
model-drop-about = The file stays where it is
setting-start-at-login = Start at login
setting-start-at-login-about = Minimised; a model is loaded when you first look at the window
setting-tray-icon = Keep an icon in the tray
setting-tray-icon-about = Closing the window keeps Inkstone running; the icon brings it back and ends it
setting-quick-ask = Quick questions in a small window
setting-quick-ask-about = From the tray, by a key of its own, or by “inkstone-window --quick”
login-failed = Start at login could not be changed.
login-reason = The system says: { $reason }
setting-quick-keys = Key for quick questions
setting-quick-keys-about = Heard whatever window has the focus; Inkstone hears this one key and no other
choice-quick-keys-auto = No key
choice-quick-keys-ctrl-alt-space = Ctrl Alt Space
choice-quick-keys-ctrl-shift-space = Ctrl Shift Space
choice-quick-keys-super-space = Super Space
choice-quick-keys-ctrl-alt-i = Ctrl Alt I
choice-quick-keys-super-i = Super I

tray-show = Show Inkstone
tray-quick = Quick question
tray-quit = Quit
tray-none = There is no tray here.
tray-none-about = Closing the window ends Inkstone as before.
