# Sizes and durations. A narrow no-break space would be finer; fonts without it show a box.
size-bytes = { $count ->
    [one] { $count } byte
   *[other] { $count } bytes
}
duration-seconds = { $seconds } s
duration-minutes = { $minutes } min { $seconds } s
between = ,{" "}
