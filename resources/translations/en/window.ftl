# What is used in more than one place.
dismiss = Dismiss
cancel = Cancel
close = Close
save = Save
notices-more = { $count ->
    [one] 1 more notice
   *[other] { $count } more notices
}
notices-fewer = Fewer notices
