# 诊断：为什么慢，为什么回答不好，为什么装不下。
advisor = 诊断
advisor-open = 哪里不对？
advisor-verb = 诊断
advisor-about = 全部在这台电脑上测得；下面的每个数字都是查看过的。
advisor-of = 诊断：{ $name }
advisor-looking = 正在查看处理器和内存，约一秒
advisor-slow = 为什么慢？
advisor-poor = 为什么回答不好？
advisor-unfit = 为什么装不下？
advisor-failed = 为什么没成功？
advisor-fine-slow = 没有什么拖慢它。
advisor-fine-slow-figures = { $speed } 词元/秒，首字 { $first }，空闲内存 { $free }，其他程序占用处理器的 { $others }。
advisor-fine-poor = 没有什么影响回答。
advisor-fine-poor-figures = { $bits ->
    [none] 温度 { $temperature }，重复惩罚 { $repeat }，对话没有被略去的部分。
   *[known] 温度 { $temperature }，重复惩罚 { $repeat }，每个权重 { $bits } 位，对话没有被略去的部分。
}
advisor-fine-unmeasured = 这个对话里还没有测过这个模型的回答。先问点什么，再来查看。
advisor-no-model = 没有加载模型，也没有加载失败的模型。
advisor-figures = 查看了什么
advisor-again = 重新查看
advisor-changed = 已更改
advisor-changed-reply = 从下一个回答起生效。
advisor-unknown = 未知
advisor-figure-speed = 书写速度（实测）
advisor-figure-expected = 书写速度（预期）
advisor-figure-first = 首字（实测）
advisor-figure-prompt = 上一个回答的提示词
advisor-figure-context = 上下文
advisor-figure-threads = 线程
advisor-figure-others = 其他程序占用的处理器
advisor-figure-memory = 空闲内存
advisor-figure-moved = 与磁盘之间的换页
advisor-figure-stalled = 程序等待内存的时间
advisor-figure-bandwidth = 内存速度（实测）
advisor-figure-bits = 每个权重的位数
advisor-figure-cache = 缓存位数
advisor-figure-sampling = 温度、重复惩罚
advisor-value-speed = { $speed } 词元/秒
advisor-value-prompt = { $tokens } 个词元，其中复用 { $reused } 个
advisor-value-context = { $context } 个词元
advisor-value-threads = { $threads } 个，共 { $cores } 个核心
advisor-value-of = { $some }，共 { $all }
advisor-value-pace = { $pace }/秒

advice-few-threads = { $cores } 个核心里只有 { $threads } 个在算。
    .more = 这是为这个模型或所有模型设定的。读问题的时间会成比例地变长。
advice-many-threads = { $threads } 个线程挤在 { $cores } 个核心上。
    .more = 每一步都要等排在后面的那个线程。
advice-busy-processor = 其他程序占用了处理器的 { $others_share }。
    .more = 每个词元都要等最慢的核心。结束忙碌的程序，再来查看。
advice-memory-short = 内存不够：{ $memory_bytes } 中只有 { $free_bytes } 空闲。
    .more = 程序有 { $stalled_share } 的时间在等内存；每秒有 { $swapped_bytes } 在内存和磁盘之间来回。
advice-power-saving = { $kind ->
    [saving] 系统在省电。
   *[battery] 电脑在用电池。
}
    .more = { $kind ->
        [saving] 处理器因此变慢。关闭省电模式，再来查看。
       *[battery] 很多电脑这时会变慢。接上电源，再来查看。
    }
advice-gpu-unused = 显卡只算 { $layers } 层中的 { $inside } 层。
    .more = 它有 { $free_bytes } 空闲，足够放下全部。
advice-slow-kernels = { $device } 的快速通道不能用。
    .more = { $reason }
advice-compatible-model = { $architecture } 以兼容模式运行。
    .more = 由别人的代码计算，比本程序自己的慢。
advice-large-model = 对这台电脑的内存来说模型偏大：预期 { $expected_speed } 词元/秒。
    .more = 每个词元要读 { $weights_bytes }，内存每秒能给 { $bandwidth_bytes }。人读字约 { $reading_speed } 词元/秒。更小的模型，或位数更少的版本会更快。
advice-below-expected = 实测 { $measured_speed } 词元/秒，预期 { $expected_speed }。
    .more = 内存每秒能给 { $bandwidth_bytes }，查看过的都解释不了差别。趁别的程序不忙时测一次。
advice-queued = 到首字的 { $first_s } 里有 { $queue_s } 在排队。
    .more = 其他请求（例如本地服务器的）先得到了回答。
advice-not-reused = 对话的 { $prompt } 个词元里只有 { $reused } 个还记得。
    .more = { $why ->
        [cut] 首字用了 { $first_s }：最早的几轮放不下了，后面的要重读。
       *[changed] 首字用了 { $first_s }：修改、换了指令或重新加载模型之后，要从那里重读。
    }
advice-long-prompt = 读 { $tokens } 个新词元用了 { $prefill_s }。
    .more = 即 { $prefill_speed } 词元/秒。问题短些、附件页数少些，或开一个新对话，首字会来得更早。
advice-long-thought = 模型想了 { $thought_s }。
    .more = { $tokens } 个词元里有 { $thoughts } 个是思考，在回答之前或之间。
advice-long-conversation = 对话很长：每写一个词元都要回看 { $tokens } 个。
    .more = 除了 { $weights_bytes } 的权重，还要读 { $cache_bytes } 的缓存。
advice-slow-disk = 加载用了 { $load_s }：模型放在{ $disk ->
    [network] 网络上
   *[turning] 机械硬盘上
}。
    .more = { $size_bytes }，每秒读 { $pace_bytes }。放到更快的磁盘上会更早就绪。
advice-other-server = 由 { $server } 书写回答。
    .more = 它的速度和中间的网络都在数字里；首字用了 { $first_s }。
advice-hot = 温度是 { $temperature }；模型推荐 { $usual }。
    .more = 越高，越少见的词就越容易出来，直到句子散掉。
advice-strong-penalty = 重复惩罚超出了模型能承受的范围。
    .more = 重复惩罚 { $repeat }（0.97 到 1.3），频率惩罚 { $frequency }、出现惩罚 { $presence }（−0.5 到 1）。
advice-open-tail = 没有什么挡住不太可能的词。
    .more = 温度 { $temperature } 时，每几十个词就有一个来自很靠后的位置。Top-k、top-p 或 min-p 可以挡住。
advice-circles = 回答在兜圈子。
    .more = { $characters } 个字符能压缩到 { $packed_share }；正常文字在 40 % 以上。
advice-no-template = { $name } 没有对话模板。
    .more = 多半是基础模型：它续写文字，不回答问题。对话模型的名字里有“instruct”“chat”或“it”。
advice-foreign-template = 这个对话用的不是模型自己的模板。
    .more = { $name } 学的是另一种形式；用现在这种，它可能看不出一轮在哪里结束。
advice-turns-left-out = 对话有 { $turns } 轮放不下。
    .more = 上下文容纳 { $context } 个词元；开头说过的，模型不知道。内容没有删除。
advice-cut-short = 回答写了 { $tokens } 个词元就被截断。
    .more = { $kind ->
        [limit] 这是这个对话允许的最长回答。
       *[context] 上下文已满。
    }
advice-few-bits = { $kind ->
    [measured] 这个副本有许多词与原模型不同。
   *[bits] 模型的每个权重只有 { $bits } 位。
}
    .more = { $kind ->
        [measured] 比较过的位置里，两者选同一个词的占 { $same_share }。
       *[bits] 低于 3.5 位，回答会变差。
    }
advice-small-model = 模型很小：{ $millions } 百万个权重。
    .more = 它能写出完整的句子，但知道的不多。它本身没有问题。
advice-inexact-cache = 这个模型受不了 8 位缓存。
    .more = 加载时测得：每个词元损失 { $divergence } 奈特。
advice-bound-by-schema = 回答必须符合 JSON 模式。
    .more = 这是为这个对话设定的；模型因此不能用普通文字回答。
advice-stop-words = 回答写了 { $tokens } 个词元就结束。
    .more = 这个对话有停止词：{ $words }。回答在第一个停止词之前结束。
advice-no-thought = 模型不可以先想再答。
    .more = 它会思考，但被关掉了。
advice-fits-now = 现在放得下了。
    .more = 需要 { $needed_bytes }，空闲 { $free_bytes }。
advice-large-weights = { $name } 比空闲的内存大。
    .more = 权重占 { $weights_bytes }，运行另占 { $beside_bytes }，空闲 { $free_bytes }。
advice-long-context = { $name } 放得下，但 { $context } 个词元的上下文放不下。
    .more = 上下文占 { $cache_bytes }，一共 { $needed_bytes }，空闲 { $free_bytes }。
advice-others-hold = 内存被其他程序占着。
    .more = { $programs ->
        [none] { $memory_bytes } 中需要 { $needed_bytes }，空闲 { $free_bytes }。关掉不用的程序。
       *[other] { $memory_bytes } 中需要 { $needed_bytes }，空闲 { $free_bytes }。占得最多的是 { $programs }（共 { $held_bytes }）。
    }
advice-gpu-full = { $device } 的显存用完了。
    .more = 还要 { $needed_bytes }，空闲 { $free_bytes }。少放几层，或缩短上下文，会省一些。
advice-context-reduced = 上下文是 { $context } 个词元，不是 { $wanted } 个。
    .more = { $kind ->
        [own] 这个模型不支持更长。
       *[memory] 空闲的内存不够更长。
    }
advice-missing-device = { $device } 不在。
    .more = 可能是显卡被取下，或驱动没了。这个模型被设为在它上面计算。
advice-refused-template = { $kind ->
    [chat] 这个对话的模板不接受这段对话。
   *[model] 模型的模板不接受这段对话。
}
    .more = { $kind ->
        [chat] 这是对话自己的模板；模型学的是它自带的那一个。
       *[model] 可以为这个对话另选一个模板，保留之前会先试一次。
    }
advice-refused-form = 没有回答能符合这个对话的模式。
    .more = 去掉它，模型就用普通文字回答。
advice-long-question = { $kind ->
    [whole] 对话比模型能读的长。
   *[question] 单是这个问题就比上下文长。
}
    .more = { $tokens ->
        [0] 服务器没有说长多少。问题短一些，或附件页数少一些，会省一些。
       *[other] 它有 { $tokens } 个词元，模型最多读 { $context } 个。问题短一些，或附件页数少一些，会省一些。
    }
advice-crowded = 有 { $waiting } 个请求在等，上限是 { $limit } 个。
    .more = 其他程序在问本地服务器，或几个对话同时在问。监视页能看到是谁。
advice-far-server = { $kind ->
    [offline] 离线开关不让程序连接 { $host }。
   *[server] 由 { $host } 书写回答，而它没有成功。
}
    .more = { $kind ->
        [offline] 这台电脑上的模型不需要网络。
       *[server] 在这台电脑上改变不了；这台电脑上的模型不需要服务器。
    }

advice-do-threads-auto = 用全部 { $value } 个核心
advice-do-context = 上下文改为 { $value }
advice-do-cache-bits = 缓存改为 { $value } 位
advice-do-gpu-auto = 让显卡来算
advice-do-device-auto = 让程序选择
advice-do-keep-loaded = 保持加载
advice-do-unload = 卸载模型
advice-do-load = 加载 { $name }
advice-do-load-again = 再加载一次
advice-do-make-smaller = 做一个更小的副本
advice-do-models = 看放得下的模型
advice-do-model-settings = 打开模型的设置
advice-do-show-file = 看它在哪里
advice-do-usual-sampling = 用模型推荐的
advice-do-penalise = 用“聊天”预设
advice-do-new-chat = 开一个新对话
advice-do-thinking-off = 这个对话里不思考
advice-do-thinking-auto = 让它思考
advice-do-no-schema = 去掉模式
advice-do-no-stops = 去掉停止词
advice-do-no-limit = 不限回答长度
advice-do-monitor = 打开监视页
advice-do-benchmark = 测一次速度
advice-do-look-again = 重新查看
advice-do-template = 选一个模板
advice-do-own-template = 用模型自己的模板
