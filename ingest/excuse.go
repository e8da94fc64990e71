package ingest

import (
	"strings"

	"github.com/memtree/memtree/tree"
)

// excuses are the names of excuses in files, in lower case.
var excuses = map[string]tree.Excuse{
	"healed": tree.Healed, "self-healed": tree.Healed, "selfhealed": tree.Healed, "自愈": tree.Healed, "已自愈": tree.Healed,
	"retried": tree.Retried, "flaky": tree.Retried, "rerun": tree.Retried, "重试通过": tree.Retried, "不稳定": tree.Retried,
	"environment": tree.Environment, "env": tree.Environment, "infrastructure": tree.Environment,
	"infra": tree.Environment, "system-issue": tree.Environment, "环境": tree.Environment, "环境问题": tree.Environment,
	"环境异常": tree.Environment, "环境故障": tree.Environment,
}

// ExcuseOf returns the excuse with this name, such as "flaky": a reason why a verdict shows nothing about its judge. It
// returns "" for any other text.
func ExcuseOf(word string) tree.Excuse {
	word = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(word)), "@")
	return excuses[strings.NewReplacer(" ", "-", "_", "-").Replace(word)]
}

// excuse returns the excuse of a run. Any other text is ignored, so that no run is lost for it.
func (d *slotDecoder) excuse() tree.Excuse {
	var s string
	if v := d.rec[slotExcuse]; v.raw != nil && v.raw[0] == '"' {
		s = d.text(slotExcuse)
	}
	return ExcuseOf(s)
}
