"""The API in the words of OpenAPI 3.1, made out of the types of its operations."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from tutor import __version__
from tutor.referee.programs import Fault
from tutor.web.api.operations import Operation, Parameter

_PART = re.compile("<([^>]+)>")


class Failed(msgspec.Struct, frozen=True):
    """Every error looks like this: a code for programs, a message for people in the language asked for."""

    error: Fault


def document(
    operations: Iterable[Operation],
    table: Mapping[str, Parameter],
    named: Mapping[str, Mapping[str, str]],
    server: str,
) -> dict[str, Any]:
    """`named` holds an example of each part of a path, by operation."""
    types = [Failed, *(kind for of in operations for kind in (of.answer, of.body) if kind)]
    schemas, components = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    by_type = dict(zip(map(repr, types), schemas, strict=True))

    def json(kind: Any) -> dict[str, Any]:
        return {"content": {"application/json": {"schema": by_type[repr(kind)]}}}

    seconds = {"description": "Seconds to wait.", "schema": {"type": "integer"}}
    later = {"headers": {"Retry-After": seconds}}
    paths: dict[str, dict[str, Any]] = {}
    for of in operations:
        made: dict[str, Any] = {
            "operationId": of.name,
            "summary": of.run.__doc__,
            "parameters": [
                *(
                    {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                    | ({"example": named[of.name][name]} if of.name in named else {})
                    for name in _PART.findall(of.path)
                ),
                *({"name": name, "in": "query", "schema": table[name].schema()} for name in of.parameters),
            ],
            "responses": {
                "200": {"description": "The answer.", **json(of.answer)},
                "429": {"description": "Too many requests from one address.", **later, **json(Failed)},
                "503": {"description": "What it takes is being repaired.", **later, **json(Failed)},
                "4XX": {"description": "What is wrong with the request.", **json(Failed)},
            },
        }
        if of.body:
            made["requestBody"] = {"required": True, **json(of.body)}
        else:
            made["responses"]["304"] = {"description": "Nothing has changed since (If-None-Match)."}
        paths[_PART.sub(r"{\1}", of.path)] = {of.method.lower(): made}
    about = "The rules of tabletop games in four languages, and a referee. It only reads; no key is needed."
    return {
        "openapi": "3.1.0",
        "info": {"title": "Rules tutor", "version": __version__, "summary": about},
        "servers": [{"url": server}],
        "paths": paths,
        "components": {"schemas": components},
    }
