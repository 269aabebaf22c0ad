"""The models a user has or could have: identify, scan, fit, fetch.

Loads neither torch nor numpy.
"""
