"""The real content, loaded once for all tests of a process. Nobody changes it."""

from tutor.book.load import load
from tutor.lessons.course import courses
from tutor.paths import CONTENT

LIBRARY = load(CONTENT)
COURSES = courses(LIBRARY)
