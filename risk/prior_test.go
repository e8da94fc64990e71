package risk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/judgment"
)

// helps is the least mean of the AUC that the priors of the other data sets of a kind have on each of them. Below it
// the kind has no prior.
const helps = 0.6

// shapesOf caches the verdicts of a data set, by name and kind.
var shapesOf = map[string][kinds][]shaped{}

func shapedOf(s *stream) [kinds][]shaped {
	if out, ok := shapesOf[s.name]; ok {
		return out
	}
	var out [kinds][]shaped
	for i := range s.es {
		f := Extract(&s.es[i])
		if v := polarities()[f.value]; v != judgment.Unread {
			k := kindOf(&f.shape)
			out[k] = append(out[k], shaped{f.shape, v, !*s.es[i].Correct})
		}
	}
	shapesOf[s.name] = out
	return out
}

// learnPriors learns the priors of shapes from data sets.
func learnPriors(sets []stream) (out [kinds]prior) {
	for k := range kinds {
		var of [][]shaped
		for i := range sets {
			if strings.Contains(sets[i].name, ",") {
				continue // a part of another one
			}
			if s := shapedOf(&sets[i])[k]; len(s) > 0 {
				of = append(of, s)
			}
		}
		if len(of) > 1 && leftOut(of) >= helps {
			out[k] = learnPrior(of).rounded()
		}
	}
	return out
}

// leftOut returns the mean AUC on each data set of the prior learned from the others.
func leftOut(sets [][]shaped) (mean float64) {
	for i, set := range sets {
		p := learnPrior(slices.Delete(slices.Clone(sets), i, i+1))
		var ps []effect.Prediction
		for _, s := range set {
			w, z := p.passes, 0.0
			if s.value == judgment.Fails {
				w = p.fail
			}
			for j, x := range s.x {
				z += w[j] * (float64(x) - p.mean[j]) / p.sd[j]
			}
			ps = append(ps, effect.Prediction{P: sigmoid(z), Order: sigmoid(z), Wrong: s.wrong})
		}
		mean += *effect.RiskFigures(ps).AUC / float64(len(sets))
	}
	return mean
}

// but returns the streams that are not of a data set.
func but(streams []stream, names ...string) []stream {
	return slices.DeleteFunc(slices.Clone(streams), func(s stream) bool {
		name, _, _ := strings.Cut(s.name, ",")
		return slices.Contains(names, name)
	})
}

// priorsFile is the part of start.go with the priors.
func priorsFile(ps [kinds]prior) string {
	var b strings.Builder
	b.WriteString("\n// priors are what other histories show about shapes.\nvar priors = [kinds]prior{\n")
	for k, name := range []string{"reported", "observed"} {
		p := &ps[k]
		if !p.known() {
			continue
		}
		fmt.Fprintf(&b, "\t%s: {\n", name)
		for _, f := range []struct {
			name string
			of   [shapes]float64
		}{{"mean", p.mean}, {"sd", p.sd}, {"passes", p.passes}, {"fail", p.fail}} {
			fmt.Fprintf(&b, "\t\t%s: [shapes]float64{", f.name)
			for j, x := range f.of {
				if j == shapes/2 {
					b.WriteByte('\n')
				}
				fmt.Fprintf(&b, "%.2f, ", x)
			}
			b.WriteString("},\n")
		}
		b.WriteString("\t},\n")
	}
	b.WriteString("}\n")
	return b.String()
}
