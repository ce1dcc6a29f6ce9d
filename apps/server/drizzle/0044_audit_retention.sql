DROP TRIGGER "audit_entries_append_only" ON "audit_entries";--> statement-breakpoint
CREATE OR REPLACE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'Audit entries are never changed, and deleted only by age';
END $$;--> statement-breakpoint
CREATE FUNCTION "refuse_audit_deletion"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD.at > now() - interval '365 days' THEN
		RAISE EXCEPTION 'Audit entries of the last 365 days are never deleted';
	END IF;
	RETURN OLD;
END $$;--> statement-breakpoint
CREATE TRIGGER "audit_entries_append_only" BEFORE UPDATE OR TRUNCATE ON "audit_entries" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();--> statement-breakpoint
CREATE TRIGGER "audit_entries_kept" BEFORE DELETE ON "audit_entries" FOR EACH ROW EXECUTE FUNCTION "refuse_audit_deletion"();
