# The status line.
status-no-model = No model loaded
status-idle = Idle
status-idle-last = Idle · last
tokens-a-second = tok/s
status-first-word = First word
status-context = Context
status-of = of { $total }
status-memory = Memory
status-of-gigabytes = of { $total } GB
status-processor = Processor · { $threads ->
    [one] 1 thread
   *[other] { $threads } threads
}
status-device = Graphics card · { $device }
status-network-short = Network used
status-network = { $count ->
    [one] Network used for 1 download only
   *[other] Network used for { $count } downloads only
}
status-loading = Loading
status-served = Other computers reach it
status-served-all = Local server · other computers reach this one
status-asking-hub = Network used for a search only
status-asking-update = Network used to look for a newer version only
status-asking-server = Network used to ask a server
status-offline = Offline
status-offline-all = Offline · nothing leaves this computer
status-local = Local
status-local-all = On this computer · the network is not used
status-away-also = { $away } · { $count ->
    [one] 1 download
   *[other] { $count } downloads
}
