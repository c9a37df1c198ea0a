package visitor

import "switchyard/models/bot"

// kind is the sort of automated client that a user agent declares itself to be. Each user agent has one kind, so that switching a
// signal off affects exactly the clients that the signal names.
type kind uint8

const (
	human kind = iota
	crawler
	linkPreview
	aiCrawler
	httpLibrary
	headless
	empty
)

var kinds = [...]struct {
	name   string
	signal bot.Signals
}{
	human:       {"", 0},
	crawler:     {"crawler", bot.DeclaredBot},
	linkPreview: {"link_preview", bot.LinkPreview},
	aiCrawler:   {"ai_crawler", bot.AICrawler},
	httpLibrary: {"http_library", bot.HTTPLibrary},
	headless:    {"headless", bot.Headless},
	empty:       {"empty", bot.EmptyUserAgent},
}

func (k kind) signal() bot.Signals { return kinds[k].signal }
