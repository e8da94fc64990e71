package piece

// Size counts the records of a file that are in use (Live) and that are not any more (Dead).
type Size struct{ Live, Dead int }

// Due returns which files to merge next: those from index from up to, not including, to. from is -1 if there are none.
// size returns the records of a file, busy whether it must not be merged now. Due keeps the number of files at about
// log₂(n): each file should have at least twice as many live records as the next, and not more dead records than live
// ones. Files that end up in one are merged in one step. It merges no file with more than most live records, and none
// that is busy.
func Due(n, most int, size func(i int) Size, busy func(i int) bool) (from, to int) {
	for i := n - 1; i >= 0; i-- {
		last := size(i)
		live := last.Live
		if busy(i) || live > most {
			continue
		}
		from := i
		for ; from > 0; from-- {
			before := size(from - 1).Live
			if before >= 2*live || live+before > most || busy(from-1) {
				break
			}
			live += before
		}
		if from < i || last.Dead > live {
			return from, i + 1
		}
	}
	return -1, -1
}
