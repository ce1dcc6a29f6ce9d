CREATE TABLE "instance_samples" (
	"name" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"version" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"state" text NOT NULL,
	"failing" jsonb NOT NULL,
	"jobs" text[] NOT NULL,
	"connected" integer NOT NULL,
	"loop_delay_ms" double precision NOT NULL,
	"anchor_lag" double precision,
	"payment_lag" double precision,
	"queue_age" double precision,
	CONSTRAINT "instance_samples_name_at_pk" PRIMARY KEY("name","at")
);
--> statement-breakpoint
CREATE INDEX "instance_samples_at" ON "instance_samples" USING btree ("at");