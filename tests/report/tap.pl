# Reads TAP from standard input with the parser of Perl's own harness, and prints what it understood:
# a line per test, then the plan, or why there is none. Fails when the parser found fault with it.
use strict;
use warnings;
use TAP::Parser;

my $tap = do { local $/; <STDIN> };
my $parser = TAP::Parser->new({ tap => $tap });
my $bailed;
while (my $result = $parser->next) {
    if ($result->is_test) {
        printf "%s %d%s|%s\n", $result->is_ok ? 'ok' : 'not ok', $result->number,
          $result->has_skip ? ' skip (' . $result->explanation . ')' : '', $result->description;
    } elsif ($result->is_yaml) {
        my $data = $result->data;
        die "no verdict, message or report in a block\n"
          if grep { !defined $data->{$_} || $data->{$_} eq '' } qw(verdict message report);
        printf "  %s|%s\n", $data->{verdict}, $data->{message};
    } elsif ($result->is_plan) {
        print "plan ", $parser->tests_planned, "\n";
    } elsif ($result->is_bailout) {
        $bailed = 1;
        print "bail out: ", $result->explanation, "\n";
    } elsif ($result->is_unknown) {
        die "not understood: ", $result->raw, "\n";
    }
}
my @errors = grep { !$bailed || $_ !~ /No plan found/ } $parser->parse_errors;
die map { "parse error: $_\n" } @errors if @errors;
