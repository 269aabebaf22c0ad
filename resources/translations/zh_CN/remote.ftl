remote-add = 添加远程模型
remote-edit = 编辑连接
remote-about = 任何支持 OpenAI 接口的服务器。你写的内容会发到那里，其余的都留在这里。
remote-preset = 服务器
remote-other = 其他服务器
remote-address = 地址
remote-address-hint = http://localhost:11434/v1
remote-key = 密钥
remote-key-hint = 服务器需要时才填
remote-key-kept = 已存在钥匙串里；输入即可替换
remote-forget-key = 忘掉
remote-model = 模型
remote-model-hint = 服务器对它的称呼
remote-models = 服务器的模型
remote-name = 名称
remote-name-hint = 你想怎么叫它
remote-certificate = 证书
remote-certificate-hint = 服务器自己的 CA 证书文件，没有就不填
remote-browse = 选择…
remote-proxy = 代理
remote-proxy-hint = http://name:password@proxy:3128，留空则用系统设置
remote-ask = 列出模型
remote-test = 测试
remote-asking = 正在询问 { $address }…
remote-testing = 正在等 { $address } 的第一个词…
remote-found = { $count ->
    [0] { $ms } 毫秒后应答，没有列出模型。
   *[other] { $ms } 毫秒后应答，有 { $count } 个模型。
}
remote-tested = 可以用：在这里量得第一个词用了 { $time }。
remote-no-address = 这还不是服务器地址。
remote-badge-here = 本机的另一个程序
remote-badge-away = 会离开这台电脑
remote-mark-here = 发给本机的 { $host }
remote-mark-away = 会离开这台电脑：{ $host }
remote-held = 密钥只保留到程序结束。
    .more = 这个系统没有可用的钥匙串，密钥也绝不会写进文件。
inspector-remote = 这是服务器写的。它的词元、概率、完整提示和内存在这里看不到，只有时间是在这里量的。
transcript-measured-here = 在这里测得
remote-here = 在这台电脑上，由另一个程序回答：{ $host }
remote-away = 文字会离开这台电脑：{ $host }
stage-connecting = 等待服务器
fault-address-invalid = “{ $address }”不是服务器地址。
    .more = 地址的样子是 http://localhost:11434/v1，里面不带用户名和密码。
fault-server-unreachable = { $host } 没有应答。
    .more = 服务器可能没有运行，或者地址、网络不对。
fault-server-untrusted = { $host } 出示的证书不受信任。
    .more = 什么都没有发送。如果是你自己的服务器，请指定它的 CA 证书文件。
fault-certificate-unreadable = “{ $path }”里没有可读的证书。
    .more = 请选择服务器的 CA 证书文件，PEM 格式。
fault-proxy-invalid = “{ $address }”不是代理地址。
    .more = 地址的样子是 http://proxy.example:3128，主机前可以写用户名和密码，密码只存入密钥环。
fault-proxy-refuses = 代理连不到 { $host }。
    .more = 请检查这个模型或系统的代理设置。
fault-server-silent = { $host } 连上了，但没有回话。
    .more = { $seconds } 秒内什么都没有收到，它可能正忙。
fault-server-broke-off = { $host } 中途断开了。
    .more = 回答还没有结束，连接就断了。
fault-server-foreign = { $host } 的应答不像 OpenAI 兼容的服务器。
    .more = 请检查地址，多数以 /v1 结尾。
fault-server-garbled = { $host } 的回答损坏了。
    .more = 中途收到了不属于回答的内容。可以再试一次。
fault-server-failed = { $host } 报告它自己出错了（{ $status }）。
    .more = 可以再试一次，它自己的日志里有更多说明。
fault-server-refused = { $host } 拒绝了这个请求。
    .more = 换一些设置，或者换它的另一个模型，也许可以。
fault-server-forbids = { $host } 不允许这样做。
    .more = 密钥可能不能用于这个模型。
fault-server-overloaded = { $host } 请求先别再访问。
    .more = { $seconds ->
        [0] 已达到它的限额，过一会儿再试。
       *[other] { $seconds } 秒后再试。
    }
fault-server-moved = { $host } 要转到别的地址。
    .more = 没有跟过去，你的文字和密钥不会不问就发往别处。如果你信任它，请填写 { $address }。
fault-key-needed = { $host } 需要密钥。
    .more = 请在这个模型的连接里填写。
fault-key-refused = { $host } 不接受这个密钥。
    .more = 请在这个模型的连接里检查。
fault-model-gone = { $host } 没有模型“{ $model }”。
    .more = 请选它的另一个模型。
fault-conversation-too-long = 这个对话超出了 { $host } 能读的长度。
    .more = { $context ->
        [0] 请缩短，或者开始新对话。
       *[other] 它能读 { $context } 个词元。请缩短对话，或者开始新对话。
    }
fault-offline = { $host } 不在这台电脑上。
    .more = 设置里打开了离线：只访问这台电脑。什么都没有发送。
fault-only-locally = 服务器不会告诉这些。
    .more = { $host } 不公开它的词元、概率和完整提示。这台电脑上的模型可以看。
notice-settings-left-out = { $host } 不接受你的全部设置。
    .more = 没有发送的：{ $names }。
notice-server-cut = { $host } 没有读完整个对话。
    .more = 它读了 { $tokens } 个词元，而对话至少有 { $least } 个。它没有说明略去了什么。
notice-server-filtered = { $host } 的内容过滤中止了回答。
    .more = 已经收到的都保留着。
