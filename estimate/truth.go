package estimate

import (
	"math"

	"github.com/memtree/memtree/internal/stat"
)

// VerdictCounts counts labelled verdicts of a judge, by whether the test fails or passes in truth.
type VerdictCounts struct {
	Fails, FailsSeen   int // tests that fail in truth; of these, those judged to fail
	Passes, PassesSeen int // tests that pass in truth; of these, those judged to pass
}

// Truth estimates the share of n tests that fail in truth. failed is the number of these tests that a judge judged to
// fail. known counts labelled verdicts of this judge on a random sample of tests that fail in truth and a random sample
// of tests that pass. ok is false if one of the samples has fewer than 5 labels, the judge is hardly better than
// chance, or n is 0.
//
// The estimate is that of W. J. Rogan and B. Gladen, American Journal of Epidemiology 107, 1978; the interval that of
// Z. Lang and J. Reiczigel, Preventive Veterinary Medicine 113, 2014.
func Truth(failed, n int, known VerdictCounts) (e Estimate, ok bool) {
	if n <= 0 || known.Fails < 5 || known.Passes < 5 {
		return Estimate{0, wide}, false
	}
	z := stat.Z
	all := float64(n) + z*z
	apparent := (float64(failed) + z*z/2) / all
	nSe, nSp := float64(known.Fails)+2, float64(known.Passes)+2
	se, sp := (float64(known.FailsSeen)+1)/nSe, (float64(known.PassesSeen)+1)/nSp
	better := se + sp - 1
	if better < 0.05 {
		return Estimate{0, wide}, false
	}
	p := (apparent + sp - 1) / better
	varSe, varSp := se*(1-se)/nSe, sp*(1-sp)/nSp
	shift := 2 * z * z * (p*varSe - (1-p)*varSp)
	half := z * math.Sqrt((apparent*(1-apparent)/all+p*p*varSe+(1-p)*(1-p)*varSp)/(better*better))
	share := func(x float64) float64 { return max(0, min(1, x)) }
	se, sp = float64(known.FailsSeen)/float64(known.Fails), float64(known.PassesSeen)/float64(known.Passes)
	point := share((float64(failed)/float64(n) + sp - 1) / max(0.05, se+sp-1))
	in := stat.Interval{Low: share(p + shift - half), High: share(p + shift + half)}
	return Estimate{max(in.Low, min(in.High, point)), in}, true
}
