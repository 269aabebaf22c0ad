# The models on this computer: whose they are, what can be done with them.
setting-sources = Models of other programs
setting-sources-about = They are used where they lie. Nothing is copied, renamed or deleted.
setting-keep = Keep a model in memory
setting-keep-about = After this long without a question its memory is freed. It is loaded again when you begin to type.
keep-always = Always
keep-5 = For 5 minutes
keep-15 = For 15 minutes
keep-60 = For an hour
source-own = Inkstone
source-lm-studio = LM Studio
source-ollama = Ollama
source-hugging-face = Hugging Face cache
source-jan = Jan
source-gpt4all = GPT4All
source-added = Your folders
