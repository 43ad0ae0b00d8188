"""Templates that are given typed objects: what a template knows is what a class declares."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from flask import render_template

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def render(template: str, *parts: "DataclassInstance", **more: Any) -> str:
    """The template, which knows the fields and properties of the parts by their names, and `more`."""
    known = {name: getattr(part, name) for part in parts for name in _names(part)}
    return render_template(template, **known, **more)


def _names(part: "DataclassInstance") -> list[str]:
    kind = type(part)
    properties = [name for name in dir(kind) if isinstance(getattr(kind, name, None), property)]
    return [*(one.name for one in fields(part)), *properties]
