# 大小与时间。
size-bytes = { $count } 字节
duration-seconds = { $seconds } 秒
duration-minutes = { $minutes } 分 { $seconds } 秒
between = 、
