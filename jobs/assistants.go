package jobs

import "time"

// ReadClientArgs name the OAuth client of an assistant. The id of a client is the URL of the document in which the client describes
// itself.
type ReadClientArgs struct {
	ID string `json:"id"`
}

// ReadClientAnswer has the name of the client that was stored.
type ReadClientAnswer struct {
	Name string `json:"name"`
}

// ReadClient reads the document of a client and stores the client. Error: invalid_client.
var ReadClient = Define[ReadClientArgs, ReadClientAnswer]("assistant:client", interactive(20*time.Second))
