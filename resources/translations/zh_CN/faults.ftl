# 出了什么事，什么还在，怎么办。前一句加粗，“.more”跟在后面。

action-retry = 再试一次
action-choose-model = 选一个模型
action-edit-connection = 打开连接
action-shorter-context = 改为 { $shorter }
action-edit = 修改问题
action-new-chat = 新对话
action-open-settings = 打开设置
action-open-page = 打开它的网页
action-open-folder = 打开文件夹
action-close-window = 关闭这个窗口
action-copy-detail = 复制详情

fault-detail = 细节：{ $detail }

fault-file-missing = 找不到 { $path } 了。
    .more = 它被移走、改名或删除了。
fault-part-missing = 缺少 { $path }。
    .more = 这个模型分成几个文件，缺一不可：把它也取来。
fault-file-unreadable = 读不了 { $path }。
    .more = 系统的说法：{ $reason }
fault-removal-refused = { $path } 没有删除。
    .more = 系统提示：{ $reason }。关闭正在用它的其他程序，确认它所在的文件夹可以写入，再试一次。
fault-removal-not-ours = { $path } 没有删除。
    .more = 它不在砚存放模型的文件夹里：请到它原来的地方删除。
fault-file-truncated = { $path } 不完整：只有 { $expected } 中的 { $size }。
    .more = 重新取一次，或换一个文件。
fault-file-empty = { $path } 是空的。
    .more = 重新取一次，或换一个文件。
fault-file-damaged = { $path } 已损坏。
    .more = 重新取一次，或换一个文件。
fault-format-unsupported = { $path } 不是能读的模型文件。
    .more = { $format ->
        [unknown] 能用的是 GGUF 文件和 safetensors 文件夹。
       *[other] 它的类型是“{ $format }”；能用的是 GGUF 文件和 safetensors 文件夹。
    }
fault-pickle-refused = 没有打开 { $path }。
    .more = 这是 pickle 检查点，一打开就会运行里面的程序。可以找同一模型的 safetensors 或 GGUF 版本。
fault-remote-code-refused = 没有运行 { $path }。
    .more = 它自带程序代码（{ $detail }），Inkstone 不运行模型自带的代码。
fault-architecture-unknown = 还不支持 { $path } 这种模型。
    .more = 它的架构是“{ $architecture }”。
fault-model-writes-not = { $path } 不会写回答。
    .more = 它用来比较、分类或听写文字（向量、分类或语音识别模型）。请选一个用于对话的模型。
fault-text-empty = { $path } 里没有文字。
    .more = 请选一个有几页内容的文本文件，或用 Inkstone 自带的文本。
fault-quantization-unsupported = 还不支持 { $path } 的压缩方式。
    .more = 它用的是 { $quantization }。同一模型的 Q4_K_M 或 Q8_0 可以用。
fault-tensor-missing = { $path } 不完整。
    .more = 缺少 { $tensor }。重新取一次，或换一个文件。
fault-tensor-shape = { $path } 的各部分对不上。
    .more = { $tensor } 是 { $shape }，应为 { $expected }。
fault-config-invalid = { $path } 的配置不成立。
    .more = 重新取一次模型，或换一个。
fault-tokenizer-missing = { $path } 没有带分词器。
    .more = 权重旁边需要有 tokenizer.json。
fault-tokenizer-invalid = { $path } 的分词器用不了。
    .more = 重新取一次模型，或换一个。
fault-template-invalid = 模型的对话模板有错。
    .more = 换一个模型。
fault-template-refused = 模型的对话模板不接受这个对话。
    .more = 它说：{ $detail }
fault-memory-short = 内存不够运行这个模型。
    .more = 需要 { $needed }，现在空闲 { $free }。{ $shorter ->
        [0] 可以先关掉别的程序，或者选小一点的模型。
       *[other] 可以先关掉别的程序，或者把上下文改为 { $shorter } 词元。
    }
fault-out-of-memory = 内存用完了。
    .more = 还需要 { $needed }，只剩 { $free }。
fault-no-model = 没有载入模型。
    .more = 选一个，再问一次。问题还在。
fault-prompt-too-long = 这条消息对这个模型来说太长。
    .more = 它有 { $tokens } 词元，模型最多读 { $context }。可以写短一点，或者开一个新对话。
fault-prompt-empty = 没有要回答的内容。
    .more = 消息是空的。
fault-prompt-forgotten = 这段提示已经不在内存里。
    .more = 再检查一次这条回答就能看到。
fault-setting-invalid = 设置 { $name } 不能是 { $value }。
    .more = 可以用：{ $allowed }
fault-constraint-invalid = 没法让回答符合这个形式。
    .more = 检查的结果：{ $detail }。可以在输入框下方的“调整每一步”里修改。
fault-device-missing = 用不了 { $device }。
    .more = 在设置里换一个设备。
fault-busy = 等着的请求太多了。
    .more = 有 { $waiting } 个在等，上限是 { $limit }。
fault-disk-full = 磁盘空间不够。
    .more = { $path } 需要 { $needed }，只剩 { $free }。腾出空间后再试一次。
fault-disk-filled = 磁盘满了。
    .more = { $path } 所在的磁盘还剩 { $free }。已写入的部分都在。腾出空间，再试一次。
fault-disk-short = 磁盘满了。
    .more = { $path } 还需要 { $needed }，只剩 { $free }。已有的 { $kept } 会保留。腾出空间，再试一次。
fault-unwritable = 写不了 { $path }。
    .more = 系统的说法：{ $reason } 允许写入，或换一个文件夹，再试一次。
fault-fetched-already = 另一个程序正在下载 { $name }。
    .more = 等它下载完，或在那里停止。
fault-name-taken = { $path } 已经存在。
    .more = 不会覆盖任何东西：请换一个名字或文件夹。
fault-folder-gone = { $path } 所在的文件夹不在了。
    .more = 如果它在另一个磁盘上，请重新接上；已写入的部分都在。然后再试一次。
fault-network-unreachable = 连不上 { $host }。
    .more = 以前载入的都还在。检查网络后再试一次。
fault-download-refused = 下载被拒绝了。
    .more = { $address } 的回答是状态 { $status }。
fault-network-slow = { $host } 几乎不传数据。
    .more = 已到的部分都在。过一会儿再试，或在设置里换一个镜像。
fault-server-busy = { $host } 请求先别再访问。
    .more = 已到的部分都在。{ $seconds ->
        [0] 过几分钟再试。
       *[other] { $seconds } 秒后再试。
    }
fault-token-needed = { $host } 想知道是谁在访问。
    .more = 这个模型不公开、要先同意条款，或者没有这个名字的模型：请检查名字。在 { $address } 同意条款，在那个网站上生成令牌，填进设置。
fault-access-refused = { $host } 不向你提供这个模型。
    .more = 在浏览器里打开 { $address }，同意条款，再确认设置里的令牌有读取权限。
fault-token-refused = { $host } 不认识你的令牌。
    .more = 可能输错了，或已过期。在那个网站上新建一个，填进设置。
fault-hub-address-invalid = { $address } 不是模型网站的地址。
    .more = 请在设置里改正；例如 https://hf-mirror.com。
fault-file-gone = 在 { $address } 没有找到任何东西。
    .more = 请检查名字；也可能已被移走：换一个文件，或换一个模型。
fault-choice-missing = { $name } 里没有“{ $file }”这个文件了。
    .more = 它有 { $offered }：换其中一个文件。
fault-file-changed = { $path } 在服务器上变了。
    .more = 大小是 { $size }，应为 { $expected }。已到的部分已经丢弃；重新查看这个模型的文件。
fault-hub-unreadable = 看不懂 { $host } 的回答。
    .more = 检查设置里的站点地址。
fault-nothing-to-load = { $name } 里没有能用的文件。
    .more = 既没有 GGUF，也没有 safetensors。换一个模型。
fault-hash-mismatch = { $path } 传坏了。
    .more = 校验和开头是 { $actual }，应为 { $expected }。文件已经丢弃。
fault-engine-ended = 引擎意外结束了。
    .more = { $status ->
        [-9] 是外面结束了它，多半是系统因为内存不够。可以再试一次，模型会重新加载。
       *[other] 日志旁边有一份报告，写着它停在哪里。可以再试一次，模型会重新加载。
    }
fault-internal = 引擎内部出错了。
    .more = 下一个问题可以照常问。

notice-template-missing = 这个模型没有对话模板。
    .more = 现在用最简单的模板，回答可能会跑题。
notice-system-folded = 这个模型不接受单独的指令。
    .more = 指令放在你的第一个问题前面。
notice-turns-left-out = 最早的 { $turns } 轮对话放不下了。
    .more = 内容没有删除。开一个新对话就有空间了。
notice-compatibility-mode = 这个模型以兼容方式运行。
    .more = Inkstone 对 { $architecture } 还没有快速实现（{ $reason }）。慢一些，功能不少。
notice-context-reduced = 上下文是 { $context } 词元。
    .more = 原本想要 { $wanted }，放不下。
notice-threads-reduced = 用 { $threads } 个线程计算。
    .more = 设置里是 { $wanted } 个。这台电脑同时只能运行这么多，多出来的只会排队，让每个回答变慢。
notice-head-tied = 这个文件缺少输出层。
    .more = 用输入层代替，这类模型大多如此。
notice-cache-inexact = 8 位记忆对这个模型不够。
    .more = 回答会变差（每个词元 { $divergence } nat）。改用 16 位就没有影响。
notice-kernels-slow = { $device } 的快速实现用不了。
    .more = 回答慢一些，但不缺什么。细节：{ $reason }

store-disk-full = 磁盘满了，对话存不进去。
    .more = { $path } 所在的磁盘只剩 { $free }。你写的先留在内存里，一有空间就存。
store-read-only = 写不了 { $path }。
    .more = 这一次的内容都不会保存：关闭之前请存成文件。
store-unreachable = 访问不了 { $path }。
    .more = 系统的说法：{ $reason } 会继续尝试。
store-in-use = Inkstone 已经打开了。
    .more = 在这第二个窗口里写的内容不会保存。
store-newer-beside = 你的对话是更新的 Inkstone 写的。
    .more = { $folder } 中的 { $path } 是第 { $found } 版，这里只认到第 { $known } 版，所以原样不动。{ $copied ->
        [none] 你现在写的存在它旁边的
       *[other] 现在看到的是 { $copied } 的对话，也就是新版改动之前的；你现在写的和它们一起存在
    } { $beside }。用新版打开时，会全部合到一起。
store-newer = { $path } 是更新的 Inkstone 写的。
    .more = 它是第 { $found } 版，这里只认到第 { $known } 版。文件没有动过。
store-joined = 另外存放的对话已和其他对话合到一起。
    .more = 往 { $chats } 个对话中加入了 { $turns } 轮。
store-gone = { $path } 被移走或删除了。
    .more = 它原来在 { $folder }。你写的先留在内存里，文件一回来就存；如果回不来，请把对话存成文件。
store-write-damaged = { $path } 有一处损坏，你写的有一部分存不进去。
    .more = 关闭窗口之前它还在这里：请把对话存成文件。最近几天的备份在设置的“磁盘上的对话”里。
store-unkept = 你现在写的只在内存里：关闭之前请存成文件。问题解决后，请重新启动 Inkstone。
store-set-aside = 读不了对话。
    .more = 损坏的文件留作 { $aside }，现在用的是空的。
store-salvaged = 有一部分对话损坏了。
    .more = 救回 { $chats } 个对话，共 { $turns } 轮。损坏的文件留作 { $aside }。
store-copy-used = 对话已损坏，现在用的是旧副本。
    .more = 副本的时间是 { $copied }。损坏的文件留作 { $aside }。
store-row-damaged = 这个对话有 { $rows } 轮读不出来。
    .more = 其余的都在。
store-settings-set-aside = 读不了设置。
    .more = 现在用默认设置，旧文件留作 { $aside }。
store-import-unreadable = 读不了 { $path }。
    .more = { $reason ->
        [damaged] 文件损坏。什么都没有改动。
        [refused] 系统不让读。什么都没有改动。
       *[other] 里面没有认得的对话。什么都没有改动。
    }
