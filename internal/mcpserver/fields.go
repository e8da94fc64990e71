package mcpserver

// described holds descriptions of fields that are too long for a tag: by type and field.
var described = map[string]string{
	"caseIn.direction": "which way the judgment was wrong: false_pass (a defect was missed), false_fail (a defect was " +
		"reported that is not there) or other; left out: read from judgment and ground_truth",
	"caseIn.ground_truth": "what was true, in the form of judgment; this or direction is needed",
	"caseIn.note": "what the agent did not check, or checked wrongly, in a sentence or two; name the control or field. " +
		"Memory reads the lesson from this",
	"caseIn.trial": "the trial id that get_guidance gave for this run, if it did",
	"caseOut.case": "the memory that was made of it, or that it is one more occurrence of; absent: memory is still " +
		"reading",
	"caseOut.missed":  "what memory understood from the note; empty: no kind of check that it knows",
	"guidanceIn.lang": "language of the guidance; left out: that of the prompt",
	"guidanceIn.observation": "what can be seen now: an ARIA snapshot as Playwright writes it, or the text of the page; " +
		"what was once wrong is held against it",
	"guidanceIn.run_id": "id of this run of your suite, if it has one. With it chance holds some runs out, so that " +
		"people can see whether memory helps. Leave it out for a mere question",
	"guidanceIn.scene":     "where in the product the test takes place; memories of that place are found by it",
	"guidanceIn.trial":     "for a later step of one run: the trial of the first answer",
	"guidanceOut.guidance": "block to put behind the task in your own prompt, as it is; empty if no memory fits",
	"memoryIn.id":          "id of a memory, such as c_…, e_… or s_…, as search_memories and get_guidance give it",
	"memoryOut.evidence":   "of a case: the run that was judged wrongly; its ground truth is kept from agents",
	"memoryOut.status": "probation and active are in use, quarantined waits for a person, retired and archived are out " +
		"of use",
	"outcomeIn.correct": "whether the judgment was right, if that is known and ground_truth is not",
	"outcomeIn.direction": "of a wrong judgment: false_pass (a defect was missed), false_fail (a defect was reported " +
		"that is not there) or other",
	"outcomeIn.ground_truth": "what was true, in the form of judgment, if somebody or something other than the judging " +
		"agent established it; leave it out otherwise",
	"outcomeIn.note":  "of a wrong judgment: what was not checked, in a sentence",
	"outcomeIn.trial": "the trial id that get_guidance gave for this run",
	"proposeIn.cases": "ids (c_…) of the cases that it rests on: of at least two tests, all wrong in the same " +
		"direction. search_memories finds them, record_case makes them",
	"proposeIn.lesson": "what to check and what to see, in one or two whole sentences that tell an agent what to do, in " +
		"the language of the cases; never what the verdict is",
	"proposeIn.when": "when it applies, by what the task or the page shows; left out: as the catalogue says for the " +
		"check that all cases missed",
	"queued.kind": "proposed (by propose_memory), imported (from another team) or learned (by memory itself, for " +
		"review)",
	"riskOut.enough": "past verdicts were shown to predict; if not, p_wrong is merely the share that was wrong before",
	"run.attempt":    "which try of the test within the run, from 1",
	"run.judgment": "what the agent judged: any JSON, such as {\"passed\": false, \"reason\": \"the total is 42\"}, or " +
		"a text",
	"run.observation": "what the agent could see when it judged: an ARIA snapshot as Playwright writes it, or the text " +
		"of the page",
	"run.prompt": "the task as the testing agent was given it, in full, without guidance",
	"run.run_id": "id of this run, another one for every time the test is run; the one given to get_guidance, if there " +
		"was one",
	"scene.route": "path of the page, such as /orders/42; ids in it do not matter",
	"scene.type":  "kind of page or step, such as form, list, login or modal; memtree://taxonomy lists them",
}
