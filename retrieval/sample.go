package retrieval

import (
	"runtime"
	"slices"
	"strconv"
)

// Sample returns the ids of up to n distinct memories drawn at random, none of them in without. The seed determines
// the draw. It makes at most 20·n draws, so it may return fewer than n ids although there are more memories.
func (ix *Index) Sample(n int, seed string, without []string) ([]string, error) {
	st := ix.state.Load()
	defer runtime.KeepAlive(st)
	ids := []string{}
	if st.slots == 0 {
		return ids, nil
	}
	for try := 0; try < 20*n && len(ids) < n; try++ {
		slot := int(key(idKind, seed+"\x00"+strconv.Itoa(try)) % uint64(st.slots)) //nolint:gosec // below st.slots
		at := st.slot(slot)
		if at.part.isDead(at.slot) {
			continue
		}
		m, err := at.meta()
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, m.id) && !slices.Contains(without, m.id) {
			ids = append(ids, m.id)
		}
	}
	return ids, nil
}
