package openapi

import (
	"reflect"
	"strings"

	"switchyard/models"
)

const signatureDoc = "t=<unix seconds>,v1=<hex HMAC-SHA256 of \"<t>.<raw body>\" with the endpoint's signing secret>; " +
	"refuse a t more than five minutes away from now. In the 24 hours after POST /webhooks/rotate there are two v1, the first " +
	"with the new secret and the second with the old one: accept the event if one of them is right"

// events describes the requests that the service sends to webhook endpoints, one for each type of event.
func events(s *schemas) object {
	out := object{}
	for _, kind := range append([]string{models.EventPing}, models.EventTypes...) {
		data := object{"type": "object"}
		if payload, ok := models.EventData[kind]; ok {
			data = s.schemaOf(reflect.TypeOf(payload), inAnswer)
		}
		name := camel(kind) + "Event"
		s.components[name] = eventSchema(kind, data)
		payload := object{"$ref": "#/components/schemas/" + name}
		s.payloads = append(s.payloads, payload)
		out[kind] = object{"post": object{
			"operationId": "on" + camel(kind), "summary": kind, "tags": []string{"Webhooks"},
			"parameters": []any{
				eventHeader("Switchyard-Signature", signatureDoc), eventHeader("Switchyard-Event", "the type of the event"),
				eventHeader("Switchyard-Delivery", "the id of the delivery, as in the delivery log"),
			},
			"requestBody": object{"required": true, "content": jsonContent(payload)},
			"responses": object{"2XX": object{"description": "the endpoint has accepted the event within ten seconds; after any other answer, also a redirect, the event is " +
				"tried again after 1 minute, 5 minutes, 30 minutes, 2 hours, 6 hours and 12 hours"}},
		}}
	}
	return out
}

// camel returns the type of an event in upper camel case: conversion.created becomes ConversionCreated.
func camel(kind string) string {
	var out strings.Builder
	for part := range strings.FieldsFuncSeq(kind, func(r rune) bool { return r == '.' || r == '_' }) {
		out.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return out.String()
}

func eventHeader(name, doc string) object {
	return object{"name": name, "in": "header", "required": true, "description": doc, "schema": object{"type": "string"}}
}

func eventSchema(kind string, data object) object {
	id := object{
		"type": "string", "format": "uuid", "description": "the same on every attempt and redelivery; ignore an event whose id you already have",
	}
	return object{
		"type": "object", "required": []string{"id", "type", "created_at", "account_id", "data"},
		"properties": object{
			"id": id, "type": object{"type": "string", "enum": []string{kind}},
			"created_at": object{"type": "string", "format": "date-time"},
			"account_id": object{"type": "string", "format": "uuid"}, "data": data,
		},
	}
}
