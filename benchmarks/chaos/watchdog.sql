-- Checks of fencing: every write about a match must come from its holder, and no lease may be taken early.
-- Programs are identified by application_name; the controller only schedules.
CREATE TABLE chaos_faults (at double precision, who text, match text, what text);

CREATE FUNCTION chaos_note(match text, what text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO chaos_faults VALUES (
        extract(epoch FROM clock_timestamp()), current_setting('application_name'), match, what)
$$;

CREATE FUNCTION chaos_match() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE who text := current_setting('application_name');
BEGIN
    IF OLD.status IN ('finished', 'aborted') THEN
        PERFORM chaos_note(OLD.id, 'a match that is over was changed');
    ELSIF NEW.epoch < OLD.epoch OR NEW.epoch > OLD.epoch + 1 THEN
        PERFORM chaos_note(OLD.id, format('its epoch went from %s to %s', OLD.epoch, NEW.epoch));
    ELSIF NEW.epoch = OLD.epoch + 1 THEN
        IF OLD.status = 'running' AND OLD.worker <> NEW.worker
                AND OLD.lease_until > extract(epoch FROM clock_timestamp()) THEN
            PERFORM chaos_note(OLD.id, format('taken from %s before its lease was over', OLD.worker));
        END IF;
    ELSIF OLD.status = 'running' AND OLD.worker <> who AND NOT (
            NEW.status = 'scheduled' AND OLD.lease_until < extract(epoch FROM clock_timestamp())) THEN
        PERFORM chaos_note(OLD.id, format('%s held it', OLD.worker));
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER chaos_match BEFORE UPDATE ON matches FOR EACH ROW EXECUTE FUNCTION chaos_match();

CREATE FUNCTION chaos_journal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE held record;
BEGIN
    SELECT epoch, worker, status INTO held FROM matches WHERE id = NEW.match;
    IF held.status <> 'running' OR held.epoch <> NEW.epoch OR held.worker <> current_setting('application_name') THEN
        PERFORM chaos_note(NEW.match, format('a line of epoch %s; %s held it under %s', NEW.epoch, held.worker, held.epoch));
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER chaos_journal BEFORE INSERT OR UPDATE ON journal FOR EACH ROW EXECUTE FUNCTION chaos_journal();
