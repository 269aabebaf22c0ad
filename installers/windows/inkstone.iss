; The Windows installer, for Inno Setup 6.3 or later: for one user, without administrator rights.
; Called by installers/making/windows.py, which defines:
;   AppVersion, AppNumbers (four numbers), Program (the frozen folder), Target, Icon
#ifndef AppVersion
  #error Build with: python3 installers/build.py windows-installer
#endif

[Setup]
AppId={{5B1C6E0B-8B7B-4E0C-9A43-6D1B1E6F3A57}
AppName=Inkstone
AppVersion={#AppVersion}
AppPublisher=The Inkstone project
VersionInfoVersion={#AppNumbers}
DefaultDirName={localappdata}\Programs\Inkstone
DefaultGroupName=Inkstone
DisableProgramGroupPage=yes
DisableDirPage=auto
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=commandline
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
OutputDir={#Target}
OutputBaseFilename=Inkstone-{#AppVersion}-setup
SetupIconFile={#Icon}
UninstallDisplayIcon={app}\inkstone-window.exe
UninstallDisplayName=Inkstone
Compression=lzma2/max
SolidCompression=yes
LZMANumBlockThreads=2
WizardStyle=modern
ChangesAssociations=yes
CloseApplications=yes
RestartApplications=no
ShowLanguageDialog=auto

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
#ifexist "compiler:Languages\ChineseSimplified.isl"
Name: "zh"; MessagesFile: "compiler:Languages\ChineseSimplified.isl"
#endif

[CustomMessages]
en.Desktop=Put an icon on the desktop
en.Associate=Open .gguf files with Inkstone
en.ModelFile=GGUF language model
en.Kept=Inkstone is removed. Your chats, settings and models stay in:%n%n%1%n%nDelete that folder if you no longer want them.
#ifexist "compiler:Languages\ChineseSimplified.isl"
zh.Desktop=在桌面放一个图标
zh.Associate=用 Inkstone 打开 .gguf 文件
zh.ModelFile=GGUF 语言模型
zh.Kept=Inkstone 已移除。你的对话、设置和模型仍保留在：%n%n%1%n%n如果不再需要，可以删除该文件夹。
#endif

[Tasks]
Name: "desktop"; Description: "{cm:Desktop}"; Flags: unchecked
Name: "associate"; Description: "{cm:Associate}"

[Files]
Source: "{#Program}\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[InstallDelete]
; an update leaves nothing of the version before it
Type: filesandordirs; Name: "{app}\_internal"

[Icons]
Name: "{autoprograms}\Inkstone"; Filename: "{app}\inkstone-window.exe"; AppUserModelID: "Inkstone.Inkstone"
Name: "{autodesktop}\Inkstone"; Filename: "{app}\inkstone-window.exe"; Tasks: desktop

[Registry]
Root: HKA; Subkey: "Software\Classes\.gguf\OpenWithProgids"; ValueType: string; ValueName: "Inkstone.gguf"; ValueData: ""; Flags: uninsdeletevalue; Tasks: associate
Root: HKA; Subkey: "Software\Classes\Inkstone.gguf"; ValueType: string; ValueData: "{cm:ModelFile}"; Flags: uninsdeletekey; Tasks: associate
Root: HKA; Subkey: "Software\Classes\Inkstone.gguf\DefaultIcon"; ValueType: string; ValueData: "{app}\inkstone-window.exe,0"; Tasks: associate
Root: HKA; Subkey: "Software\Classes\Inkstone.gguf\shell\open\command"; ValueType: string; ValueData: """{app}\inkstone-window.exe"" ""%1"""; Tasks: associate
; what the program writes where somebody wants it started at login goes with it
Root: HKCU; Subkey: "Software\Microsoft\Windows\CurrentVersion\Run"; ValueType: none; ValueName: "Inkstone"; Flags: dontcreatekey uninsdeletevalue

[Run]
Filename: "{app}\inkstone-window.exe"; Description: "{cm:LaunchProgram,Inkstone}"; Flags: nowait postinstall skipifsilent

[Code]
procedure CurUninstallStepChanged(Step: TUninstallStep);
begin
  if (Step = usPostUninstall) and not UninstallSilent then
    MsgBox(FmtMessage(CustomMessage('Kept'), [ExpandConstant('{localappdata}\Inkstone')]), mbInformation, MB_OK);
end;
