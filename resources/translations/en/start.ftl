# How the program starts, and what the system asks of it.
model-drop = Let go to open { $name }
model-drop-about = The file stays where it is
setting-start-at-login = Start at login
setting-start-at-login-about = Minimised; a model is loaded when you first look at the window
setting-tray-icon = Keep an icon in the tray
setting-tray-icon-about = Closing the window keeps Inkstone running; the icon brings it back and ends it
setting-quick-ask = Quick questions in a small window
setting-quick-ask-about = “inkstone-window --quick” opens it over all others; bind that command to a key in your system’s keyboard settings
login-failed = Start at login could not be changed.
login-reason = The system says: { $reason }
tray-show = Show Inkstone
tray-quit = Quit
tray-none = There is no tray here.
tray-none-about = Closing the window ends Inkstone as before.
