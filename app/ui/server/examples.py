"""How other programs ask, as text to be copied into them."""

from __future__ import annotations

import json
import shlex

_ANY = "none"  # the package wants one, whatever it is


def curl_example(address: str, key: str, model: str, question: str) -> str:
    """A line for a terminal."""
    body = {"model": model, "messages": [{"role": "user", "content": question}]}
    said = shlex.quote(json.dumps(body, ensure_ascii=False))
    shown = f'  -H "Authorization: Bearer {key}" \\\n' if key else ""
    return (
        f"curl {address}/chat/completions \\\n"
        f"{shown}"
        f'  -H "Content-Type: application/json" \\\n'
        f"  -d {said}"
    )


def python_example(address: str, key: str, model: str, question: str) -> str:
    """A few lines of Python with the openai package."""

    def said(text: str) -> str:
        return json.dumps(text, ensure_ascii=False)

    return (
        "from openai import OpenAI\n\n"
        f"client = OpenAI(base_url={said(address)}, api_key={said(key or _ANY)})\n"
        "reply = client.chat.completions.create(\n"
        f"    model={said(model)},\n"
        f'    messages=[{{"role": "user", "content": {said(question)}}}],\n'
        ")\n"
        "print(reply.choices[0].message.content)"
    )
