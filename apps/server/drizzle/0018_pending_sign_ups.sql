CREATE TABLE "pending_sign_ups" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"password_hash" text NOT NULL,
	"requester_hash" text NOT NULL,
	"device" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"voided_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE INDEX "pending_sign_ups_email" ON "pending_sign_ups" USING btree ("email");