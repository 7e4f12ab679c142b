"""The promises of the runtime, each tried on a store of its own and told in a line.

A step takes a runtime, puts a promise to the test (a question, a second look, something broken on
purpose) and tells what it saw as checks. Writes only into the place of that runtime.
"""
