CREATE TABLE "protected_changes" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"target" text NOT NULL,
	"chain_id" bigint,
	"from_value" text,
	"to_value" text NOT NULL,
	"reason" text NOT NULL,
	"proposed_by" uuid NOT NULL,
	"proposed_at" timestamp (3) with time zone NOT NULL,
	"approved_by" uuid,
	"approved_at" timestamp (3) with time zone,
	"effective_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"outcome" text
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "network" text;--> statement-breakpoint
CREATE UNIQUE INDEX "protected_changes_open" ON "protected_changes" USING btree ("target") WHERE "protected_changes"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "protected_changes_ended" ON "protected_changes" USING btree ("ended_at");