package main

// chineseTransfer returns in Chinese, by their English, the sentences of the
// commands with which trees travel.
func chineseTransfer() map[string]string {
	return map[string]string{
		// export
		"Write memories to a file, for another team or a branch": "把记忆写成文件，给别的团队或分支",
		`Writes the tree, or the part of it that flags choose, to one file, or with --dir to a folder made for git. What leaves is said first; --dry-run says it and writes nothing. The same tree gives the same bytes.

A lesson brings the cases it rests on, with their prompts, judgments and truths. To share lessons alone, use --redact --no-cases.`: `把整棵树或选项选定的部分写成一个文件；加 --dir 则写成适合 git 的文件夹。先说明会带出什么；--dry-run 只说明不写入。同样的树得到同样的字节。

经验会带上它所依据的案例，包括提示词、判断和真实情况。只想分享经验，请用 --redact --no-cases。`,
		"the name of a file, or of a folder with --dir":                                   "一个文件名；加 --dir 则是文件夹名",
		"say what would leave, write nothing":                                             "只说明会带出什么，不写入",
		"FILE is a folder: a file an error type, a memory a line, for git":                "FILE 是文件夹：每种错误类型一个文件，每条记忆一行，适合 git",
		"take secrets, persons, addresses and numbers out of texts; make hashes of names": "从文字中去掉密钥、人名、地址和号码，把名称变成哈希",
		"lessons alone; the cases they rest on leave as counts and hashes":                "只带经验；所依据的案例只带数量和哈希",
		"only these error types":                                                          "只要这些错误类型",
		"only memories of PRODUCT, PRODUCT/SUITE or PRODUCT/SUITE/TEST":                   "只要属于 产品、产品/套件 或 产品/套件/测试 的记忆",
		"only memories trusted at least so much, 0 to 1":                                  "只要可信度至少这么高的记忆，0 到 1",
		"only memories updated since this day, such as 2026-01-31":                        "只要这一天以来更新过的记忆，如 2026-01-31",
		"archived memories and imports that wait for promotion, too":                      "包括已归档的记忆和等待放行的导入",
		"memtree, or seed: a JSON array of the design's MemoryNode, for other programs":   "memtree，或 seed：设计中 MemoryNode 的 JSON 数组，供其他程序读取",
		"--format is %q; use memtree or seed":                                             "--format 是 %q；请用 memtree 或 seed",
		"--format seed is one file; leave --dir out":                                      "--format seed 是单个文件；请去掉 --dir",
		"--min-confidence is %v; it lies in 0 to 1":                                       "--min-confidence 是 %v；应在 0 到 1 之间",
		"--no-cases and --level case leave nothing to write":                              "--no-cases 与 --level case 合用就没有可写的了",
		"--since is %q; write a day as 2026-01-31":                                        "--since 是 %q；日期请写成 2026-01-31",
		"the tree keeps changing; export it when less is recorded":                        "记忆树一直在变；请在记录较少时导出",
		"Nothing was written.":                                                            "没有写入任何内容。",
		"Wrote %s (%s).":                                                                  "已写入 %s（%s）。",
		"What leaves":                                                                     "将带出的内容",
		"product":                                                                         "产品",
		"texts":                                                                           "文字",
		"prompts, judgments and truths of %d cases, as they were recorded":                "%d 个案例的提示词、判断和真实情况，与记录时相同",
		"prompts, judgments and truths of %d cases, redacted":                             "%d 个案例的提示词、判断和真实情况，已遮盖",
		"lessons alone, no prompt and no judgment":                                        "只有经验，没有提示词和判断",
		"redacted":              "遮盖",
		"%d places":             "%d 处",
		"archived: %d":          "已归档：%d",
		"imports that wait: %d": "等待放行的导入：%d",
		"not chosen: %d":        "未选：%d",
		"stays here":            "留在这里",
		"%s was refused, and nothing was changed: %s": "%s 被拒绝，没有改动任何内容：%s",
		"learned in":                           "学自",
		"rests on":                             "依据",
		"%d cases of %d tests in another tree": "另一棵树中的 %d 个案例，来自 %d 个测试",
		"%d of these wait in quarantine: no agent is told of them before memtree promote.": "其中 %d 条在隔离区等待：memtree promote 之前不会告诉任何智能体。",
		"ask the imports that wait for promotion, and them alone":                          "只问等待放行的导入",
		// import
		"Take in the memories of another team, into quarantine": "收下别的团队的记忆，放入隔离区",
		`Reads what memtree export wrote, files and folders, and trees in JSON of the design it comes from, and adds what is not here. What comes waits in quarantine: it can be read and searched (memtree explain --quarantined), and no agent is told of it before a person says so with memtree promote. What is in use here stays as it is.

Importing a file again changes nothing. A file that is damaged or breaks a limit is refused as a whole; a memory that breaks a law of the tree is named and left out, and the exit code is 3.

--trust is for one's own backup or branch: what comes is in use at once and merged with what is here.`: `读取 memtree export 写出的文件和文件夹，以及其设计来源的 JSON 记忆树，加入这里没有的内容。新来的在隔离区等待：可以查看和检索（memtree explain --quarantined），但在有人用 memtree promote 放行之前不会告诉任何智能体。这里正在使用的记忆保持不变。

重复导入同一文件不会改变任何内容。损坏或超出限制的文件整个拒绝；违反记忆树规则的记忆会被指出并跳过，退出码为 3。

--trust 用于自己的备份或分支：立即启用，并与这里的内容合并。`,
		"one file or folder or more":                                  "一个或多个文件或文件夹",
		"say what would change, write nothing":                        "只说明会改变什么，不写入",
		"no quarantine: in use at once, and merged with what is here": "不隔离：立即启用，并与这里的内容合并",
		"new":                      "新增",
		"the same":                 "相同",
		"newer":                    "更新",
		"conflicting":              "冲突",
		"held back":                "暂留",
		"rejected":                 "拒绝",
		"%s: %d memories changed.": "%s：改变了 %d 条记忆。",
		"%s would change %d memories (nothing was written).": "%s 会改变 %d 条记忆（没有写入）。",
		"What is new waits in quarantine. Look at it with `memtree tree --status quarantined` or `memtree explain --quarantined`; `memtree promote ID` lets it be used.": "新内容在隔离区等待。用 `memtree tree --status quarantined` 或 `memtree explain --quarantined` 查看；用 `memtree promote 编号` 放行。",
		"the memory here is in use and stays as it is; --trust would merge them":                                                                                         "这里的记忆正在使用，保持不变；--trust 会合并两者",
		"what it stands on is neither in the file nor here, so it is out of use":                                                                                         "它所依据的内容既不在文件里也不在这里，所以停用",
		"it has the id of a memory of another level":                                                                                                                     "它的编号属于另一层级的记忆",
		"lessons":               "经验",
		"%s: here %q, there %q": "%s：这里是 %q，那边是 %q",
		// signatures
		"sign with this secret key of minisign, into FILE.minisig (password in MEMTREE_SIGN_PASSWORD, or asked for)": "用这把 minisign 私钥签名，写入 FILE.minisig（密码取自 MEMTREE_SIGN_PASSWORD，或询问）",
		"Signed by key %s.": "已用密钥 %s 签名。",
		"the key is locked; give its password in MEMTREE_SIGN_PASSWORD": "密钥已加锁；请在 MEMTREE_SIGN_PASSWORD 中给出密码",
		"password of the key: ": "密钥的密码：",
		"%s is not signed, and nothing was changed: there is no %s; ask for it, or leave --verify out":                                 "%s 没有签名，没有改动任何内容：缺少 %s；请索取签名，或去掉 --verify",
		"%s is signed by key %s, which is none of those given with --verify; nothing was changed":                                      "%s 由密钥 %s 签名，不在 --verify 给出的密钥之列；没有改动任何内容",
		"the signature of %s is broken, and nothing was changed: the file or the signature is not what was signed; ask for both again": "%s 的签名不符，没有改动任何内容：文件或签名已不是当初签署的；请重新索取两者",
		"refuse what is not signed by one of the public keys in these files; it waits in quarantine all the same":                      "拒绝不是由这些文件中的公钥签名的内容；签了名的同样进隔离区",
		"%s has a signature, which was not checked; --verify KEYS checks it.":                                                          "%s 带有签名，没有检查；用 --verify 公钥文件 检查。",
		"signed by key %s": "由密钥 %s 签名",
		// backup, restore
		"Copy the whole store to a folder, while it is in use": "把整个记忆库复制到文件夹，使用中也可以",
		`Copies the store as it is at one moment, with what waits to be formed and the ledger, while others may go on writing to it. The copy is a store itself, and is read and checked once it is written. Backing up into the same folder again copies only what is new.

To hand memories to others, use memtree export.`: `复制记忆库某一时刻的全部内容，包括等待形成的运行和账目；其他进程可以继续写。副本本身就是记忆库，写完后会读取并检查。再次备份到同一文件夹只复制新内容。

要把记忆交给别人，请用 memtree export。`,
		"the folder of the copy":                    "副本的文件夹",
		"Make a store of what memtree backup wrote": "用 memtree backup 的副本建立记忆库",
		`Makes the store named with --store from a backup, and checks it. There may be no store yet: what is there is never written over. To merge a backup into a store, export it and import it with --trust.`: `用备份建立 --store 指定的记忆库并检查。那里不能已有记忆库：已有内容绝不覆盖。要把备份并入记忆库，请先导出，再用 --trust 导入。`,
		"the folder of a backup":                       "备份的文件夹",
		"restore makes a store; leave --read-only out": "restore 要建立记忆库；请去掉 --read-only",
		"there is a store in %s already, and nothing was changed; name another folder with --store": "%s 中已有记忆库，没有改动；请用 --store 指定另一个文件夹",
		"Wrote %s: %d files, %d of them copied now (%s).":                                           "已写入 %s：%d 个文件，这次复制了 %d 个（%s）。",
		"Read again and checked: %d memories, %d ledger entries.":                                   "已重新读取并检查：%d 条记忆，%d 条账目。",
		// merge-driver
		"Merge branches of a folder of memories, for git": "为 git 合并记忆文件夹的分支",
		`Git calls this for every file of an exported folder that two branches changed. What both know is united, whatever the order of merges; where they contradict each other both lessons stay, and the memory is named.

Once in a clone:

  git config merge.memtree.driver "memtree merge-driver %O %A %B %P"

and in .gitattributes, for a folder called memories:

  memories/nodes/*.jsonl merge=memtree
  memories/manifest.json merge=memtree`: `两个分支都改了导出文件夹中的文件时，git 会调用它。两边所知合在一起，与合并顺序无关；互相矛盾时两边的经验都保留，并指出该记忆。

每个克隆设置一次：

  git config merge.memtree.driver "memtree merge-driver %O %A %B %P"

并在 .gitattributes 中写（文件夹名为 memories）：

  memories/nodes/*.jsonl merge=memtree
  memories/manifest.json merge=memtree`,
		"three files, and the path git knows them by": "三个文件，以及 git 所知的路径",
		"%s: both branches changed %s: %s":            "%s：两个分支都改了 %s：%s",
		// diff
		"Say how two trees differ": "说明两棵记忆树的不同",
		`Compares two exports, folders or stores and prints the memories and lessons that B has and A has not, that are gone, and what changed in those both have.`: `比较两个导出文件、文件夹或记忆库，输出 B 有而 A 没有的记忆和经验、消失的，以及两者都有但变化了的内容。`,
		"two files, folders or stores":                                                      "两个文件、文件夹或记忆库",
		"print a page for a browser, with all of it":                                        "输出供浏览器查看的完整页面",
		"how many memories to print of each kind; 0 for all":                                "每类输出多少条记忆；0 表示全部",
		"They are the same: %d memories.":                                                   "两者相同：%d 条记忆。",
		"memories: added %d, gone %d, changed %d, the same %d · lessons: added %d, gone %d": "记忆：新增 %d，消失 %d，变化 %d，相同 %d · 经验：新增 %d，消失 %d",
		"mark":                "标记",
		"lesson":              "经验要点",
		"updated":             "更新于",
		"small things":        "细节",
		"%s compared with %s": "%s 与 %s 的比较",
		"Added":               "新增",
		"Gone":                "消失",
		"Changed":             "变化",
		"%s is a store; write what it knows with `memtree export FILE --store %s` and import that": "%s 是记忆库；请先用 `memtree export 文件 --store %s` 导出，再导入",
		"name of the team, told with what it exports":                                              "团队的名称，随导出内容一起说明",
		"--label is longer than %s, which is the most":                                             "--label 超过上限 %s",
		// promote
		"Let imported memories be used": "放行导入的记忆",
		`Takes memories out of the quarantine that imports wait in: by id, or all of an error type or an origin. A lesson brings the cases it rests on. From then on they are on probation and can be part of guidance.

The beginning of an id is enough where no other begins like it.`: `把记忆从导入等待的隔离区放出：按编号，或按错误类型、来源成批放出。经验会带上它所依据的案例。之后它们处于试用期，可以出现在提醒中。

编号的开头只要不与别的相同就够了。`,
		"ids of memories, or --type or --origin":                              "记忆的编号，或 --type、--origin",
		"say what to promote: ids of memories, --type or --origin":            "请说明放行什么：记忆的编号、--type 或 --origin",
		"all that wait of this error type":                                    "该错误类型的全部等待者",
		"all that wait of this origin, by its id or label":                    "该来源（编号或名称）的全部等待者",
		"%s does not wait in quarantine: it is %s":                            "%s 不在隔离区等待：它的状态是 %s",
		"Promoted, on probation from now on: %d":                              "已放行，进入试用期：%d",
		"Nothing like that waits in quarantine.":                              "隔离区中没有这样的记忆。",
		"Would be promoted (nothing was written): %d":                         "将放行（没有写入）：%d",
		"%s stays in quarantine: it is out of use where it comes from (%s).":  "%s 留在隔离区：它在来处已停用（%s）。",
		"%s stays in quarantine: the cases it rests on did not come with it.": "%s 留在隔离区：它所依据的案例没有一起来。",
	}
}
