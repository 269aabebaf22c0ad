# The models on this computer: whose they are, what can be done with them.
setting-sources = 其他程序的模型
setting-sources-about = 就在原处使用，不复制、不改名、不删除。
setting-keep = 模型留在内存里
setting-keep-about = 这么久没有提问，就释放内存；开始打字时再加载。
keep-always = 一直
keep-5 = 5 分钟
keep-15 = 15 分钟
keep-60 = 1 小时
source-own = Inkstone
source-lm-studio = LM Studio
source-ollama = Ollama
source-hugging-face = Hugging Face 缓存
source-jan = Jan
source-gpt4all = GPT4All
source-added = 你的文件夹
