CREATE TABLE "security_events" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"category" text NOT NULL,
	"kind" text NOT NULL,
	"account_ref" uuid,
	"subject_ref" uuid,
	"network" text,
	"detail" text NOT NULL,
	"request_id" text
);
--> statement-breakpoint
CREATE TABLE "security_outbox" (
	"event_id" bigint NOT NULL,
	"target" text NOT NULL,
	CONSTRAINT "security_outbox_target_event_id_pk" PRIMARY KEY("target","event_id")
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "security_id" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "security_outbox" ADD CONSTRAINT "security_outbox_event_id_security_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."security_events"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "security_events_account" ON "security_events" USING btree ("account_ref","id");--> statement-breakpoint
CREATE INDEX "security_events_category" ON "security_events" USING btree ("category","id");--> statement-breakpoint
CREATE INDEX "security_events_kind" ON "security_events" USING btree ("kind","id");--> statement-breakpoint
CREATE INDEX "security_events_network" ON "security_events" USING btree ("network","id");--> statement-breakpoint
CREATE INDEX "security_events_at" ON "security_events" USING btree ("at");--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_security_id_unique" UNIQUE("security_id");--> statement-breakpoint
CREATE FUNCTION "refuse_security_event_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'Security events are never changed, and deleted only by age';
END $$;--> statement-breakpoint
CREATE FUNCTION "refuse_security_event_deletion"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD.at > now() - interval '90 days' THEN
		RAISE EXCEPTION 'Security events of the last 90 days are never deleted';
	END IF;
	RETURN OLD;
END $$;--> statement-breakpoint
CREATE TRIGGER "security_events_append_only" BEFORE UPDATE OR TRUNCATE ON "security_events" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_security_event_change"();--> statement-breakpoint
CREATE TRIGGER "security_events_kept" BEFORE DELETE ON "security_events" FOR EACH ROW EXECUTE FUNCTION "refuse_security_event_deletion"();
