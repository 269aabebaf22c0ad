# The section about the program.
section-about = About
about-version = Inkstone
about-version-about = Private and offline. Free software under the Apache License 2.0.
about-folder = Your data
about-folder-about = Chats, settings and models
about-open-folder = Open folder
about-licences = Licences
about-licences-about = Of everything that others wrote and Inkstone is built on
about-show-licences = Show licences…
about-qt = Qt
about-qt-about = The window is drawn by Qt and PySide6, free software under the GNU Lesser General Public License, version 3. They are separate libraries beside the program: you may replace them with your own build of the same version. Their sources are at download.qt.io. Both licences are in “Licences”.
about-parts = Parts
about-text = Text of the licence
about-no-text = This part brings no text of its licence; its address above has it.
about-licence-below = Its licence is the text below.
