CREATE TABLE "channel_tests" (
	"destination_id" uuid PRIMARY KEY NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"result" jsonb
);
--> statement-breakpoint
ALTER TABLE "channel_tests" ADD CONSTRAINT "channel_tests_destination_id_destinations_id_fk" FOREIGN KEY ("destination_id") REFERENCES "public"."destinations"("id") ON DELETE cascade ON UPDATE no action;