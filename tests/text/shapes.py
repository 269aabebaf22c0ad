"""Chat templates in the shapes that the hub has: each does what some well-known family does."""

from __future__ import annotations

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

# reasoning is kept only after the last question; the switch off writes an empty block
THINKING = """\
{%- set ns = namespace(last=0) -%}
{%- for m in messages %}{%- if m.role == 'user' %}
    {%- set ns.last = loop.index0 %}{% endif %}
{%- endfor %}
{%- for m in messages %}
    {%- set content = m.content | trim %}
    {%- set reasoning = m.reasoning_content if m.reasoning_content is defined else '' %}
    {%- if '</think>' in content %}
        {%- set reasoning = content.split('</think>')[0].split('<think>')[-1].strip('\\n') %}
        {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
    {%- endif %}
    {{- '<|im_start|>' + m.role + '\\n' }}
    {%- if m.role == 'assistant' and (loop.index0 > ns.last) %}
        {{- '<think>\\n' + reasoning + '\\n</think>\\n\\n' }}
    {%- endif %}
    {{- content }}
    {%- for call in m.tool_calls or [] %}
        {{- '\\n<tool_call>\\n{"name": "' ~ call.function.name ~ '", "arguments": ' }}
        {{- (call.function.arguments | tojson) ~ '}\\n</tool_call>' }}
    {%- endfor %}
    {{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}"""

# no switch; the prompt itself opens the reasoning, history drops it
PREFILLED = """\
{{- bos_token }}
{%- for m in messages %}
    {%- if m['role'] == 'user' %}{{ '<|user|>' + m['content'] }}{% endif %}
    {%- if m['role'] == 'system' %}{{ m['content'] }}{% endif %}
    {%- if m['role'] == 'assistant' %}
        {%- set content = m['content'] %}
        {%- if '</think>' in content %}{% set content = content.split('</think>')[-1] %}{% endif %}
        {{- '<|assistant|>' + content + eos_token }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|assistant|><think>\\n' }}{% endif %}"""

# roles must alternate; no header before a reply, a space and the end after it
ALTERNATING = """\
{{- bos_token }}
{%- set ns = namespace(turn=0) %}
{%- if messages[0].role == 'system' %}
    {%- set system = messages[0].content + '\\n\\n' %}{% set rest = messages[1:] %}
{%- else %}{% set system = '' %}{% set rest = messages %}{% endif %}
{%- for m in rest if m.role != 'tool' and not m.tool_calls %}
    {%- if (m.role == 'user') != (ns.turn % 2 == 0) %}
        {{- raise_exception('roles must alternate user and assistant') }}
    {%- endif %}
    {%- set ns.turn = ns.turn + 1 %}
{%- endfor %}
{%- for m in rest %}
    {%- if m.role == 'user' %}
        {{- '[INST] ' + (system if loop.last else '') + m.content.strip() + ' [/INST]' }}
    {%- elif m.role == 'assistant' and m.tool_calls %}
        {{- '[TOOL_CALLS][{"name": "' + m.tool_calls[0].function.name + '", "arguments": ' }}
        {{- (m.tool_calls[0].function.arguments | tojson) + '}]' + eos_token }}
    {%- elif m.role == 'assistant' %}{{ ' ' + m.content.strip() + ' ' + eos_token }}
    {%- elif m.role == 'tool' %}{{ '[TOOL_RESULTS]' + m.content + '[/TOOL_RESULTS]' }}
    {%- endif %}
{%- endfor %}"""

# refuses a system message; names the assistant otherwise; trims
NO_SYSTEM = """\
{{- bos_token }}
{%- if messages[0]['role'] == 'system' %}
    {{- raise_exception('System role not supported') }}
{%- endif %}
{%- for m in messages %}
    {%- set role = 'model' if m['role'] == 'assistant' else m['role'] %}
    {{- '<start_of_turn>' + role + '\\n' + m['content'] | trim + '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}"""

# a content is a list of parts
PARTS = """\
{%- for m in messages %}
    {{- '<|im_start|>' + m.role + '\\n' }}
    {%- for part in m.content %}{% if part.type == 'text' %}{{ part.text }}{% endif %}{% endfor %}
    {{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""

# everything is JSON
JSON = """\
{%- for m in messages %}<|im_start|>{{ m | tojson }}<|im_end|>{% endfor %}
{%- if add_generation_prompt %}<|im_start|>{% endif %}"""

SHAPES = {
    "chatml": CHATML,
    "thinking": THINKING,
    "prefilled": PREFILLED,
    "alternating": ALTERNATING,
    "no_system": NO_SYSTEM,
    "parts": PARTS,
}
MARKS = (
    "<|user|>",
    "<|assistant|>",
    "[INST]",
    "[/INST]",
    "[TOOL_CALLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "<start_of_turn>",
    "<end_of_turn>",
    "<bos>",
    "<eos>",
)
# the end that a model of each shape samples
ENDS = {
    "chatml": "<|im_end|>",
    "thinking": "<|im_end|>",
    "prefilled": "<eos>",
    "alternating": "<eos>",
    "no_system": "<end_of_turn>",
    "parts": "<|im_end|>",
}
