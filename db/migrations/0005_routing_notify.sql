-- Each change of a record in the tables below is announced on the channel "routing" as "table:id". Within a second, the web
-- processes then refresh the record in their routing snapshot.
-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION notify_routing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('routing', TG_TABLE_NAME || ':' || coalesce(NEW.id, OLD.id));
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON accounts        FOR EACH ROW EXECUTE FUNCTION notify_routing();
CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON domains         FOR EACH ROW EXECUTE FUNCTION notify_routing();
CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON traffic_sources FOR EACH ROW EXECUTE FUNCTION notify_routing();
CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON networks        FOR EACH ROW EXECUTE FUNCTION notify_routing();
CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON offers          FOR EACH ROW EXECUTE FUNCTION notify_routing();
CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON landers         FOR EACH ROW EXECUTE FUNCTION notify_routing();
CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON campaigns       FOR EACH ROW EXECUTE FUNCTION notify_routing();

-- +goose Down
DROP FUNCTION notify_routing() CASCADE;
