"""Live tables: one person presents a lesson, others follow on their own phones, each in their language.

What happens at a table is a log of events without a word of any language (`events`). The stage is what is
shown, the floor what the guests say; both are folded out of the log, so that any server can tell them.
"""
