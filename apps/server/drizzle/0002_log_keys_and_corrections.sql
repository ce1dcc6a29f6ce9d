CREATE TABLE "log_key_lists" (
	"index" bigint PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "kind" text DEFAULT 'alert' NOT NULL;--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "target_index" bigint;--> statement-breakpoint
ALTER TABLE "log_head" ADD COLUMN "signer" text;--> statement-breakpoint
ALTER TABLE "log_key_lists" ADD CONSTRAINT "log_key_lists_index_log_entries_index_fk" FOREIGN KEY ("index") REFERENCES "public"."log_entries"("index") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_target_index_log_entries_index_fk" FOREIGN KEY ("target_index") REFERENCES "public"."log_entries"("index") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alerts_target" ON "alerts" USING btree ("target_index","log_index") WHERE "alerts"."target_index" is not null;