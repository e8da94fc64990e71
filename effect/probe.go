package effect

// probes is the share of runs with a probe.
const probes = 0.10

// Probes reports whether to add a quarantined memory that fits a run to the memories found for it, so that the memory
// can be measured again. It returns true for about one run of ten. Add only one memory, because the effects of two
// could not be distinguished. The result depends only on runID and salt; see [DrawArm] for both.
func Probes(runID, salt string) bool { return draw(runID, salt+"\x00probe", probes) }
