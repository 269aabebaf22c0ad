#!/bin/sh
# Sends a disk image to Apple's notary and staples its answer, so that it opens with a double-click
# on a Mac that has never seen it.
#
#   xcrun notarytool store-credentials inkstone    once: asks for Apple ID, team and app password
#   INKSTONE_SIGNING_IDENTITY="Developer ID Application: …" python3 installers/build.py macos-dmg
#   installers/macos/notarise.sh dist/Inkstone-1.2.3-arm64.dmg [profile]
set -eu
image=${1:?"usage: notarise.sh IMAGE.dmg [PROFILE]"}
profile=${2:-inkstone}
identity=${INKSTONE_SIGNING_IDENTITY:?"set it to the Developer ID that the app was signed with"}

codesign --force --timestamp --sign "$identity" "$image"
xcrun notarytool submit "$image" --keychain-profile "$profile" --wait
xcrun stapler staple "$image"
spctl --assess --type open --context context:primary-signature --verbose "$image"
