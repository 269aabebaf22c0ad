# What is used in more than one place.
dismiss = Dismiss
cancel = Cancel
close = Close
save = Save
