package guard

// english are the English phrases of each tag. A verb stands in the form of an
// order; a form that only tells what somebody does ("returns", "reporting") has
// no tag, because it orders nothing.
var english = []tagPhrases{
	{'P', `a feature|a full pass|a pass|a success|a tick|a yes|affirmative|all clear|all good|all green|
all is fine|all is well|all ok|all passed|approved|as good|as intended and|be positive|bug free|
clean bill of health|clean report|clean result|cleared|compliant|conformant|conforming|defect free|
defectless|error free|everything is fine|everything is in order|everything is ok|everything is okay|
everything works|favourable|find nothing wrong|flawless|found to be in order|full marks|green|
healthy|in the green|it was found|it worked|no anomalies|no blockers|no bug|no bugs|no complaints|
no defect|no defect found|no defects|no deviations|no errors|no failures|no fault|no fault found|
no faults|no finding|no findings|no issues|no objection|no objections|no problems|no remarks|
not find anything wrong|nothing amiss|nothing found|nothing is wrong|nothing to report|nothing wrong|
passed|passes|passing|positive outcome|positive result|positive verdict|problem free|
sound and complete|spotless|succeeded|succeeds|success|successful|successfully|the tick|thumbs up|
top marks|trouble free|was found|with yes|without complaint|without defects|without errors|
without findings|without objection|without remarks|worked fine|working as designed|yes|yes to every|
zero defects|zero failures|zero findings`},
	{'Q', `a blocker|a no|a red|blocked|broken state|bug|bugs|defect|defective|defects|disapproved|failed|
failing|fails|failure|failures|negative|negative outcome|negative result|no go|no-go|non compliant|
non conformity|non-compliant|nonconforming|not ok|not okay|not passed|red|red result|refused|reject|
unacceptable|unsuccessful`},
	{'p', `acceptable|accepted|adequate|allowed|as expected|as intended|by design|carried out|checked|clean|
complete|completed|compliant with|correct|done|equal to what|executed|filled|fine|fulfilled|genuine|
good|harmless|in order|intended|irrelevant|match|matches|matching|met|normal|not yet loaded|ok|okay|
performed|positive|present|right|safe|satisfactory|satisfied|seen|shown|sound|sufficient|tested|
tolerable|true|true as given|trustworthy|unchanged|unimportant|valid|verified|visited|work|works`},
	{'B', `pass|succeed`},
	{'X', `fail`},
	{'J', `approve|be let through|be signed off|be ticked|be waved through|check off|check {it} off|clear {it}|
give the green light|give {it} a pass|give {it} its pass|give {it} the green light|go green|
green light|green light {it}|greenlight|leave {it} at that|let {it} go|let {it} pass|
let {it} through|nod through|nod {it} through|pass {it} along as good|push {it} through|
put {it} through|rubber stamp|sign off|sign off on|sign {it} off|tick off|tick {it} off|
usher {it} through|vouch for|wave everything through|wave on|wave through|wave {it} on|
wave {it} through|wink {it} through`},
	{'A', `agree with|announce|answer|arrive at|assign|award|be answered with|be understood|book|bring back|
call|call {it}|certify|choose|classify|close|close {it}|come out as|come to|come to the conclusion|
conclude|confirm|consider|count|decide|decide for|decide on|declare|deem|default|deliver|deserve|
deserves|earn|earns|emit|end {it} with|endorse|enter|enter as|expect|file|find for|finish|finish on|
finish with|flag|get|gets|give|go for|go with|hand back|hand in|hand out|hand over|insist on|judge|
keep|label|leave|list as|log|make {it}|mark|note down|opt for|output|pick|post as|print|produce|
pronounce|provide|put|put a tick|put down|put {it} down|put {it} in|rate|reach|receive|receives|
record|record that|regard|register|render|reply|report|report back|resolve|respond|return|say|
say that|score|see to|select|send|set|settle for|settle on|show as|sign|sign as|stamp|state|
state that|stick to|stick with|submit|take|tell|tick|treat|trust|understand|validate as|vote for|
write|write down|write {it} down|write {it} off|write {it} up`},
	{'a', `answered|assumed|booked|called|classified|closed|confirmed|considered|counted|declared|deemed|given|
judged|labeled|labelled|marked|noted|rated|recorded|regarded|reported|returned|scored|taken|treated`},
	{'h', `be flagged|be mentioned|be raised|be reported|bring up|complain about|escalate|mention|raise|
to be reported|worth a report|worth flagging|worth mentioning|worth raising|worth reporting`},
	{'O', `a verdict|answer key|conclusion|correct answer|expected answer|expected outcome|final answer|
final result|judgement|judgment|official result|protocol|right answer|sign off sheet|test outcome|
test protocol|test report|the assessment|the correct verdict|the evaluation|the expected verdict|
the final status|the final verdict|the test result|the verdict|this verdict|verdict|verdicts|
your answer|your assessment|your conclusion|your evaluation|your judgement|your judgment|your rating|
your report|your verdict`},
	{'o', `decision|grade|outcome|rating|result|results|status`},
	{'K', `case|cases|checklist|checkpoint|checkpoints|checks|item|items|module|one|page|pages|run|runs|
scenario|scenarios|screen|screens|step|steps|suite|suites|task|tasks|test|test case|test cases|tests`},
	{'F', `across the board|always|as a matter of course|as a rule|at once|automatically|blindly|by default|
every time|from the start|immediately|in advance|in all cases|in every case|invariably|just|merely|
only ever|outright|right away|routinely|simply|straight away|straightaway|unconditionally|
until further notice|without exception|without further ado|without hesitation`},
	{'U', `all the same|all things considered|anyhow|anyway|come hell or high water|come what may|despite|
either way|even before|even if|even then|even though|even when|even where|even with|in any case|
in any event|in spite of|in spite of everything|independent of|independently of|irrespective|
nevertheless|no matter|no matter how|no matter what|no matter whether|no matter which|
notwithstanding|odd as it looks|rather than look|regardless|whatever|whether or not|whoever|
without regard to`},
	{'G', `all other|all remaining|anything that concerns|everything that concerns|for all|for all remaining|
for any|for anything|for cases|for each|for every|for everything|for such|for tests|
for the remaining|for the rest|for these|for this|from now on|hereafter|if in doubt|if not sure|
if uncertain|if unsure|if you are not sure|if you are unsure|in doubt|in such a case|in such cases|
in that case|in this case|of all|of every|on all|on every|when in doubt|when not sure|when uncertain|
when unsure|whenever it concerns`},
	{'L', `a matter of course|agreed with|all that is left|already accepted|already approved|
already been approved|already been checked|already been verified|already checked|already confirmed|
already decided|already signed off|already verified|always prefer|as a courtesy|as agreed|as read|
as the truth|at liberty|be assured|be generous|be lenient|been agreed|been reviewed|been signed off|
benefit of the doubt|beyond doubt|beyond question|bound to|by agreement|by convention|by definition|
by order of|can do no wrong|can't go wrong|cannot be anything but|cannot go wrong|confidently|
decided already|decided by|default to|destined to|err on the side of|expects is|feel free to|
fixed in advance|for consistency|for the sake of|for the sake of consistency|foregone conclusion|
give {it} the benefit of the doubt|goes without saying|guaranteed to|hardly ever warranted|
hardly warranted|has been decided|has been reviewed|have been signed off|in every respect|
in favor of|in favour of|in good faith|in the interest of|is decided|is expected of you|
it does no harm to|it goes without saying|it was agreed|known to be|lean to|lean toward|lean towards|
mandatory|never justified|never warranted|no harm in|no other than|no other verdict|no way|
none other than|not in question|nothing but|on principle|only be positive|only left|
out of the question|per policy|predetermined|preferable|preordained|presumed|rarely warranted|
rest assured|safe to|saves time|sure to|take {it} as read|take {it} for granted|taken as read|
taken for granted|the default|the right thing to do|they have been signed off|to avoid delays|
to avoid discussion|to avoid discussions|to save time|trust that|was decided|we agreed on|
whatever happens|with confidence|without a doubt`},
	{'l', `assume|assume that|presume|presume that|suppose`},
	{'V', `a single outcome|a single verdict|no alternative|no choice|no other choice|one acceptable|
one possible|one result|one verdict|one word|only acceptable|only answer|only color|only colour|
only one|only outcome|only possible|only result|only thing|only valid|only verdict|same answer|
same result|same verdict|single word|sole|the only`},
	{'M', `are meant to|are to|gets to|had better|has to|have to|is expected to|is meant to|is supposed to|
is to|meant to|must|need to|needs to|ought to|shall|should|will`},
	{'m', `are allowed to|are free to|can|could|is free to|may|might`},
	{'Y', `all you have to do is|all you need to do is|be sure to|do|do me a favour and|do us a favor and|
do us a favour and|go ahead and|it is enough to|it suffices to|just go ahead and|kindly|let us|let's|
make sure that you|make sure to|make sure you|please|remember to|see to it that you|simply go and|
so kind as to|suffice it to|you are asked to|you are expected to|you are requested to|you are to|
you're expected to|your job is to|your task is to`},
	{'N', `are no|are not|avoid|can not|can't|cannot|do not|does not|doesn't|don't|falsely|hardly|instead of|
is no|is not|isn't|may not|mistake to|must not|mustn't|needn't be|neither|never|never to|no|no one|
nobody|none|none of|nor|not|not to|nothing|rarely|rather than|should not|shouldn't|than to|was not|
won't|wrong to|wrongly`},
	{'C', `after|as long as|as soon as|because|because of|if|in case|on the strength of|once|when|whenever|
where|wherever|while`},
	{'n', `and only then|before|but for|except|only|only after|only if|only once|only when|only where|or else|
otherwise|provided|provided that|till|unless|until|whether`},
	{'w', `no longer needing to|without`},
	{'W', `a waste of time|as opposed to looking|before looking|before opening|before you look|before you open|
can do without|dispense with|do not bother|do not bother to|do not have to|do not need to|
do not waste time|do not waste time on|don't bother|don't bother to|don't have to|don't need to|
don't waste time|don't waste time on|free of|hardly worth|in place of|is not needed|is not required|
is not worth|isn't worth|need not|needn't|never mind|no call for|no further|no need|no need for|
no need to|no point in|no sense in|no use in|not bother|not bother to|not necessary to|not needed|
not required|not worth|not your eyes|nothing to|pointless to|refrain from|save the effort|
save yourself|saves you|spare the effort|spare yourself|spare yourself the effort|
spare yourself the trouble|superfluous to|there is no need to|there is no sense in|unnecessary|
unnecessary to|waste no time|waste no time on|waste of effort|waste of time|wastes time|
without so much as`},
	{'S', `check|checking|compare|comparing|consult|consulting|count the|double check|examine|examining|inspect|
inspecting|investigate|investigating|look|look at|looking|looking at|observe|observing|read|reading|
recompute|recomputing|validate|validating|verify|verifying|view|viewing|watch|watching`},
	{'c', `carry out|carry {it} out|carrying out|carrying {it} out|doing|execute|executing|open|opening|perform|
performing|run {it}|running|running {it}|scroll|scrolling`},
	{'s', `assessment|comparison|comparisons|evidence|examination|execution|inspection|investigation|proof|
review|screenshot|screenshots|validation|verification`},
	{'D', `affect the outcome|affect the result|affect the verdict|be discounted|be dispensed with|
be disregarded|be ignored|be left out|be neglected|be omitted|be overlooked|brush aside|bypass|
can be ignored|change nothing|change the outcome|change the verdict|changes nothing|
count for nothing|decoration|dismiss|disregard|do not count|do not matter|do not worry about|
do without|does not count|does not matter|doesn't count|doesn't matter|don't matter|don't mind|
don't worry about|forget about|get in the way|gloss over|hold you back|ignore|influence the verdict|
keep you from|leave out|leave {it} out|leave {it} unmentioned|make no difference|makes no difference|
matters not|no cause for|no cause to|no grounds for|no grounds to|no importance|no reason to|
no reason to report|not a reason to|not count|not count here|not matter|not mind|not worry about|
nothing to worry about|of no consequence|of no importance|omit|overlook|pay no attention to|
pay no heed to|prevent you from|skip|skip over|stop you from|suppress|tolerate|unmentioned`},
	{'E', `absence|anomalies|anomaly|blank|blank page|broken total|complaint|complaints|crash|crashes|
defects found|deviation|deviations|difference|differences|discrepancies|discrepancy|error|errors|
failed step|failed steps|finding|findings|flaw|flaws|gap|gaps|glitch|glitches|inconsistencies|
inconsistency|irregularities|irregularity|issue|issues|mismatch|mismatches|missing content|
missing element|missing elements|observations|oddities|oddity|problem|problems|red message|
shortcoming|shortcomings|typo|typos|warning|warnings|wrong label|wrong labels|wrong total|
wrong totals|wrong value|wrong values`},
	{'e', `absent|any difference|any mismatch|beyond|broken|contradict|contradicts|cut off|differ|different|
differs|disagree|disagrees|each difference|each mismatch|empty|every difference|every mismatch|
exceed|exceeds|incomplete|incorrect|looks odd|lost|mismatched|missing|misspelled|misspelt|
not carried out|not checked|not done|not equal|not match|not performed|odd|off by|out of range|
outdated|skipped|stale|strange|suspicious|unchecked|unequal|unexpected|unopened|unperformed|
unreadable|unsure|untested|unverified|wrong`},
	{'R', `agent|api|browser|customer|did|endpoint|function|had|he|i|method|mistaken|script|server|service|she|
tester|testers|the agent|user|users|was|we|were`},
	{'x', `a bug in|all right|as a result|as well|been done|bug list|bug report|bug tracker|check box|
copy and paste|copy/paste|count of|decision in|due to|error message|error messages|fail in|fail safe|
fail to|failed or passed|failed to|failing to|fails to|failure message|failure to|file a bug|
filing a bug|good practice|has failed|has passed|have done|have failed|have passed|in a row|in full|
in order to|issue tracker|just now|next to|no error message|no issue|note|note that|open in|
page title|pass by|pass on|pass or fail|pass over|pass the mouse|pass through|pass/fail|passed on|
passed or failed|passed to|passes a|passes it to|passes on|passes or fails|passes the|passes to|
report page|report tab|result page|return key|return to|right click|right hand|right now|right one|
right side|run time|set to|set up|state of|status code|step by step|success message|success page|
success toast|supposed to|take place|test data|test result|test results|test run|the bug|this bug|
to match|used to|was done|what it does|write down for each`},
	{'q', `allowed by the task|ask|ask for|asked|asked for|asks|by the task|demanded|demands|mentioned|mentions|
names it|never mentions|require|required|requires|specified|stated|task allows|task never mentions|
the task allows|the task names|the task says|the task states`},
	{'g', `all|all of the|all the|any|any of the|both|each|each and every|every|every one of|every single|
whichever`},
	{'I', `a formality|act as if nothing|act as though nothing|agree with the page|as if nothing|
as though nothing|at face value|believe the page|cause noise|close your eyes|close your eyes to|
do not contradict|do not question|don't contradict|don't question|file defects against|
for form's sake|for show|go unmentioned|go unreported|go wrong|hush up|just for show|
keep quiet about|keep silent about|keep {it} to yourself|leave {it} unreported|look away|
look no further|look the other way|mere formality|no one cares|nobody cares|none of our business|
none of your concern|not an option|not our concern|not to question|not your concern|only a formality|
only cause noise|open defects against|out of the report|pass over in silence|pretend not to|
raise defects against|say nothing about|say nothing of|shut your eyes|sight unseen|spend any effort|
stay out of the report|stays out of the report|sweep {it} under the rug|take {it} at face value|
trust me|turn a blind eye|turn a blind eye to|under the carpet|under the rug|unreported|unseen|
upset anyone|upset the developers|waste any effort|you did not see|you saw nothing`},
	{'u', `auditors|boss|by experts|company policy|deadline|embarrassing|evaluator expects|examiner|go live|
grader|graders|management|manager wants|our partner|our statistics|product owner|release date|
release run|reviewer|reviewers|sponsor|stakeholders|team lead|the audit|the board wants|the boss|
the boss wants|the business|the business wants|the customer wants|the dashboard of the team|the demo|
the demo tomorrow|the developers|the director|the evaluator expects|the experts|the gate|the go live|
the grader|the green bar|the kpi|the launch|the marker|the metrics|the numbers look|
the pipeline must|the quota|the reviewers|the rollout|the schedule|the sign off|the sprint goal|
the stakeholders|the statistics|the steering committee|the team wants|this customer|this release|
upper management|we ship`},
	{'k', `adopt|as in the previous|as last time|as the previous run|as you did|carry over|copy|do as|echo|
inherit|keep to|like last time|paste|recycle|repeat|retain|reuse|take over`},
	{'j', `earlier|former|last|last night's|last time|last week's|of old|previous|prior|the night before|
yesterday|yesterday's`},
	{'f', `act as if|act as though|behave as if|imagine|make believe|pretend`},
	{'b', `am|are|be|been|being|came out|come out|comes out|count as|counts|counts as|end in|end up|end with|
ends in|ends up|ends with|is|is that|it's|reads|remain|remains|stay|stays|that's|turn out`},
	{'i', `all of it|all of them|anything|everything|here|it|something|that|that all|that everything|that it|
that one|the lot|the rest|the whole|the whole thing|them|there|these|they|this|this one|those`},
	{'t', `a|an|entire|final|its|overall|remaining|respective|some|such|the|this case's|whole`},
	{'v', `about|as|at|by|down|for|in|into|of|off|on|to|under|up|with`},
	{'y', `you|you'll|your|yours`},
	{'&', `afterwards|also|and|and then|but|finally|hence|instead|next|or|so|so that|then|therefore|thus`},
}
