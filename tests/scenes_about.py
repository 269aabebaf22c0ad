"""Pictures of the section about the program and of the licences."""

from __future__ import annotations

from PySide6.QtTest import QTest

from app.ui.about.licences import LicencesDialog
from tests import screenshot_texts as texts
from tests.studio import Scene


def about(scene: Scene) -> None:
    from tests.screenshots import Studio

    looks = (
        ("", "light", "en", 1280),
        ("-dark-zh", "dark", "zh_CN", 1280),
        ("-narrow", "light", "en", 720),
    )
    for name, theme, language, width in looks:
        with scene.window(Studio(), texts.CHATS, theme=theme, language=language) as program:
            program.window.resize(width, 832)
            program.window.show_page("settings")
            program.window.parts.settings.open_section("about")
            scene.shoot(program, f"about{name}")
            program.surroundings.about.show_licences()
            dialog = program.window.findChild(LicencesDialog)
            assert dialog is not None
            scene.wait(lambda dialog=dialog: bool(dialog.text.toPlainText()))
            QTest.qWait(100)
            dialog.grab().save(str(scene._out / f"licences{name}.png"))
            dialog.accept()
