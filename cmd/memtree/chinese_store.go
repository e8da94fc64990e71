package main

// chineseStore returns in Chinese what fsck and compact say.
func chineseStore() map[string]string {
	return map[string]string{
		"Say what a damaged store lost, and repair it": "说明损坏的记忆库丢失了什么，并修复",
		"Reads everything, whatever is damaged, and says exactly what cannot be read. Nothing is written. With --accept-loss the damaged bytes are set aside in the folder broken of the store, and what can be read is written anew, so that the store opens again. Nothing is deleted.": "无论何处损坏，都读取全部内容，并准确说明哪些无法读取；不写入任何内容。加上 --accept-loss 时，损坏的字节移到记忆库的 broken 文件夹，其余能读取的内容重新写入，使记忆库可以再次打开。不会删除任何内容。",
		"go on without what is lost":                         "接受损失，继续使用",
		"--accept-loss writes; leave --read-only out":        "--accept-loss 需要写入；请去掉 --read-only",
		"Lost, and acknowledged once:":                       "以下内容曾确认保存，现已丢失：",
		"Damaged, and made again with nothing lost:":         "以下文件损坏，但可以重建，没有任何损失：",
		"Set aside, for you to look at; nothing deletes it:": "已移到一旁供查看，不会被删除：",
		"The last write was cut short after %d bytes, before anybody was told that it was kept: nothing is lost by it.":                                                          "最后一次写入在 %d 字节处中断，当时尚未确认保存，因此没有损失。",
		"Whole: %d memories, %d runs that wait to be looked at, %d ledger entries.":                                                                                              "完好：%d 条记忆，%d 次待分析的运行，%d 条账目。",
		"The store is repaired and opens again.":                                                                                                                                 "记忆库已修复，可以再次打开。",
		"Record the files of your runs again: what was lost is taken anew (%d runs whose memory is gone, and what a batch held), what is known is skipped. Then: memtree verify": "请重新记录原来的运行文件：丢失的会重新收录（%d 次运行的记忆已丢失，另有批次中的内容），已知的会跳过。然后：memtree verify",
		"Nothing was changed. To repair it, with nothing lost: memtree fsck --accept-loss":                                                                                       "没有做任何更改。要修复（没有损失）：memtree fsck --accept-loss",
		"Nothing was changed. To go on with what is whole: copy the folder if you want to keep it as it is, then memtree fsck --accept-loss":                                     "没有做任何更改。要用完好的部分继续：如需保留原状请先复制文件夹，再运行 memtree fsck --accept-loss",
		"%s from byte %d: ": "%s 从第 %d 字节起：",
		"the memory %s":     "记忆 %s",
		"%d bytes of batches, nobody can say how many":                 "%d 字节的批次，无法得知有多少个",
		"%d batches, %d bytes":                                         "%d 个批次，%d 字节",
		"%d memories":                                                  "%d 条记忆",
		"%d runs that waited to be looked at":                          "%d 次待分析的运行",
		"%d ledger entries":                                            "%d 条账目",
		"%d runs that had been set aside":                              "%d 次已搁置的运行",
		"that %d runs were recorded: recorded again, they count again": "%d 次运行的记录标记：再次记录会重复计入",

		"Write the store anew without what it no longer needs": "重写记忆库，去掉不再需要的内容",
		"Writes a snapshot and removes the journals and files it replaces. The store does this by itself from time to time; it is good before a backup or a commit. Memories, archived ones too, stay.": "写入快照，并删除被取代的日志和文件。记忆库会不时自动这样做；适合在备份或提交之前运行。记忆（包括已归档的）都会保留。",
		"compact writes; leave --read-only out":   "compact 需要写入；请去掉 --read-only",
		"%s had %s and has %s; nothing was lost.": "%s 原有 %s，现有 %s；没有任何损失。",
	}
}
