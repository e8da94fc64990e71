package formation

import "github.com/memtree/memtree/tree"

func Redact(e tree.Evaluation) (tree.Evaluation, int) { return e, 0 }
