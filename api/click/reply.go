package click

import (
	"encoding/json"
	"net/http"
	"time"

	"switchyard/api/envelope"
	"switchyard/models"
)

// messageBudget is the time in which a message, such as a postback or an event, must be stored. It is more than the time for a
// redirect, because no visitor is waiting in front of a blank page.
const messageBudget = 5 * time.Second

// Errors that several kinds of messages share.
var (
	errPostOnly    = models.Errorf(models.KindMethod, "method_not_allowed", "use POST")
	errUnavailable = models.Errorf(models.KindUnavailable, "unavailable", "try again")
)

// reply is the envelope of the JSON answers to messages.
type reply struct {
	Data  any             `json:"data"`
	Error *envelope.Error `json:"error"`
}

func replyError(w http.ResponseWriter, err error) {
	e, ok := models.AsError(err)
	if !ok {
		e = &models.Error{Code: "internal_error", Message: "something went wrong"}
	}
	switch e.Kind {
	case models.KindMethod:
		if w.Header().Get("Allow") == "" {
			w.Header().Set("Allow", "GET, HEAD, POST")
		}
	case models.KindTooMany:
		w.Header().Set("Retry-After", retryAfter)
	default:
	}
	writeReply(w, envelope.Status[e.Kind], reply{Error: &envelope.Error{Message: e.Message, Code: e.Code}})
}

func writeReply(w http.ResponseWriter, status int, body reply) {
	text, err := json.Marshal(body)
	if err != nil {
		text, status = []byte(`{"data":null,"error":null}`), http.StatusInternalServerError
	}
	w.Header()["Cache-Control"] = noStore
	writePage(w, status, asJSON, append(text, '\n'))
}
