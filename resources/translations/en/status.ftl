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
status-asking = Network used for a search only
status-offline = Offline
status-offline-all = Offline · nothing leaves this computer
status-network = { $count ->
    [one] Network used for 1 download only
   *[other] Network used for { $count } downloads only
}
status-loading = Loading
status-switched-all = Offline is switched on · only this computer is asked
status-switched = Offline is switched on
status-served = Other computers reach it
status-served-all = Local server · other computers reach this one
