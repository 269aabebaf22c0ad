"""What is said in the screenshots; the figures are examples, not measurements."""

from __future__ import annotations

SAVINGS = "At 4 % a year, when do my savings double? Show the formula and a small Python function."
SAVINGS_THOUGHT = "Compound growth: ln 2 over ln 1.04 is 17.67 years, so 17 years and 8 months."
SAVINGS_REPLY = """\
At 4 % a year, compounded yearly, they double in about **17 years and 8 months**.

### Where that comes from

$$t = \\frac{\\ln 2}{\\ln(1 + r)} = \\frac{0.6931}{0.0392} = 17.67\\ \\text{years}$$

| Yearly rate | Exact | Rule of 72 | Difference |
|---|---:|---:|---:|
| 2 % | 35.00 years | 36.0 years | +1.00 |
| 4 % | 17.67 years | 18.0 years | +0.33 |
| 8 % | 9.01 years | 9.0 years | −0.01 |

```python
from math import log

def years_to_double(rate: float) -> float:
    \"\"\"Years until money doubles; 0.04 means 4 % a year.\"\"\"
    return log(2) / log(1 + rate)
```

- **Inflation** counts: at 2 % a year, buying power doubles only after 35.7 years.
- **Fees** count too: half a per cent a year turns 4 % into 3.5 %, and the wait"""
SAVINGS_NEXT = "And if I also put in 100 a month?"

TEA = "家里有绿茶、乌龙和熟普洱，水温和时间分别怎么掌握？没有温度计。"
TEA_THOUGHT = "先给一个表，再说没有温度计怎么估。"
TEA_REPLY = """\
记住一句话：**芽越嫩，水越凉；发酵越重，水越热。**按 150 毫升的盖碗、5 克茶来算：

| 茶 | 水温 | 第一泡 | 之后每泡加 | 能冲几泡 |
|---|---:|---:|---:|---:|
| 绿茶 | 80–85 °C | 60 秒 | 20 秒 | 3 泡 |
| 乌龙 | 95 °C | 20 秒 | 5 秒 | 6–9 泡 |
| 熟普洱 | 100 °C | 10 秒 | 5 秒 | 10 泡以上 |

### 没有温度计怎么估

1. **100 °C**：水面大泡翻滚，马上冲。
2. **95 °C**：关火，等气泡全部停下，大约 30 秒。
3. **80–85 °C**：沸水倒进公道杯，再倒回一次。每倒一次大约降 7–8 °C，倒两次正好。

熟普洱先用沸水快速洗一遍，10 秒内倒掉，第二次注水才算第一泡。"""

PHOTOS = (
    "I have 2,300 holiday photos called IMG_0001.jpg and so on. Rename them by the date they were "
    "taken, without losing any."
)
PHOTOS_REPLY = """\
This script reads the date from each photo, shows the new names first, and only renames when you \
add `--go`. Two photos from the same second get `-2`, `-3` at the end.

```python
import sys
from pathlib import Path
from PIL import Image

used = set()
for photo in sorted(Path("Holiday").glob("*.jpg")):
    taken = Image.open(photo).getexif().get_ifd(0x8769).get(36867)
    if not taken:
        print("no date, left alone:", photo.name)
        continue
    stem, n = taken.replace(":", "-", 2).replace(":", "."), 1
    while (name := f"{stem}-{n}.jpg" if n > 1 else f"{stem}.jpg") in used:
        n += 1
    used.add(name)
    print(photo.name, "→", name)
    if "--go" in sys.argv:
        photo.rename(photo.with_name(name))
```"""

# (title, days ago, pinned)
CHATS = [
    ("Weekend bread schedule", 9, True),
    ("Rental contract in plain words", 12, True),
    ("Rename photos by date", 0, False),
    ("Letter to the landlord", 1, False),
    ("Why dusk turns the sky red", 1, False),
    ("Measuring bike chain wear", 4, False),
    ("Bank CSV to monthly totals", 5, False),
]
CHATS_ZH = [
    ("周末做面包的时间表", 9, True),
    ("租房合同白话版", 12, True),
    ("照片按日期改名", 0, False),
    ("给物业的一封信", 1, False),
    ("傍晚的天为什么是红的", 1, False),
    ("自行车链条磨损怎么量", 4, False),
    ("银行流水按月汇总", 5, False),
]
