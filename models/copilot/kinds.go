package copilot

// kinds is the table of what is looked for.
var kinds = []kind{
	{name: "pause_loser", level: levelPause, find: func(in *Input) []finding { return findArms(in, true) }},
	{name: "move_weight", level: levelMove, find: func(in *Input) []finding { return findArms(in, false) }},
}
