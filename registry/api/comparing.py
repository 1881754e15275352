"""Ask what would break before publishing."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry import conf
from registry.api import answers, shapes
from registry.api.answers import described
from registry.api.call import RegistryView
from registry.api.parsing import body_as, body_of
from registry.services import comparing


class CompatibilityView(RegistryView):
    """`POST /api/tools/compatibility`."""

    @extend_schema(
        operation_id="compatibility",
        request={"application/json": shapes.Comparison},
        responses=described(answers.VersionVerdict),
        description="Two documents, two tool ids or references, or one of each; without `old`, a document "
        "against the release before its version. Nothing is stored.",
    )
    def post(self, request: Request) -> Response:
        """Return what changed, and which version may carry it."""
        asked = body_as(shapes.Comparison, body_of(request))
        found = comparing.verdict(
            asked.old,
            asked.new,
            principal=self.call(request).principal,
            switches=conf.compatibility_switches(asked.policy),
        )
        return Response(found.as_json())
